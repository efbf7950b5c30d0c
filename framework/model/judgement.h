// What can be said of a world that has come to rest, from the positions of its ranks alone.
#pragma once

#include <string>
#include <vector>

#include "framework/model/case.h"
#include "framework/model/history.h"

namespace allprove {

struct Judgement {
  Proof proof = Proof::none;  // none: some rank may still go on by itself
  std::vector<int> blame;     // world ranks
  std::string diagnosis;      // one paragraph in plain words
};

// Judges a consistent view of all positions, without the case's `faults`.
using Judge = Judgement (*)(const Case& test_case, const std::vector<Position>& positions);

}  // namespace allprove
