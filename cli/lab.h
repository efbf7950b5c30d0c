// The all-reduce lab: small experiments on two or three local processes, each with a prediction
// made before it runs. lab_bench.h runs them, lab_steps.cpp holds them, lab.cpp shows them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "framework/base/result.h"
#include "framework/run/pool.h"

namespace allprove {

struct Prediction {
  std::string what;
  std::string expected;
  std::string got;
  bool held = false;
};

// What one step of the lab shows.
struct LabStep {
  std::string title = {};
  std::vector<std::string> text = {};  // paragraphs that a student can read
  std::vector<Prediction> predictions = {};
  std::vector<std::vector<std::string>> table = {};  // the first row is its head
  std::vector<std::string> after = {};               // what to take from it

  bool held() const;
};

// All steps and questions, in order; each is told of as soon as it is done. An error when the lab
// itself could not be carried out.
Status run_lab_steps(WorldPool& pool, const std::function<void(const LabStep&)>& done);

}  // namespace allprove
