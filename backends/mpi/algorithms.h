// The algorithms that the library lets a program choose while it runs, by collective and mode, and
// how a choice is made: written to a control variable around the call, or around the creation of
// the communicator. See docs/backends-mpi.md for what is known of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/mpi/control_variable.h"
#include "framework/model/case.h"
#include "framework/run/protocol.h"

namespace allprove {

// When the library reads a choice.
enum class Reach { call, communicator };

// The choices for one collective and mode.
struct Selector {
  Collective collective = Collective::all_reduce;
  Mode mode = Mode::blocking;
  Reach reach = Reach::call;
  ControlVariable choice;
  int own_choice = 0;  // the value as it was found: the library's own choice, or the user's
  std::vector<NamedValue> offered;
  std::optional<ControlVariable> bypass;  // 0 here keeps the device from overriding the choice
  int own_bypass = 0;
};

// A choice in force until the end of its scope, and then what was there before.
class ChosenAlgorithm {
 public:
  ChosenAlgorithm() = default;
  ChosenAlgorithm(const Selector& selector, int value);
  ~ChosenAlgorithm();
  ChosenAlgorithm(const ChosenAlgorithm&) = delete;
  ChosenAlgorithm& operator=(const ChosenAlgorithm&) = delete;

 private:
  const Selector* selector_ = nullptr;
};

class Algorithms {
 public:
  // Looks for what the library has. To be called once, after MPI is initialised.
  void discover();

  std::vector<AlgorithmList> lists() const;

  // Why the algorithm cannot run on communicators of these sizes; nothing when it can.
  std::optional<std::string> unsupported(const Operation& operation,
                                         const std::vector<int>& communicator_sizes) const;

  // Whether the choice belongs to the communicator, which must then be made for it.
  bool needs_communicator(const Operation& operation) const;

  // Makes the choice of `name`, when it is read at `reach`; an empty name chooses nothing.
  ChosenAlgorithm choose(Collective collective, Mode mode, const std::string& name,
                         Reach reach) const;

 private:
  const Selector* find(Collective collective, Mode mode) const;

  std::vector<Selector> selectors_;
};

}  // namespace allprove
