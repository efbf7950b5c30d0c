#include "backends/mpi/algorithms.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "framework/base/check.h"

namespace allprove {
namespace {

// Where a library keeps a choice. A library has the variables of its own rows alone.
struct Row {
  Collective collective;
  Mode mode;
  const char* choice;
  Reach reach;
  const char* condition;  // must be true, or the choice is never looked at; null: none
  const char* bypass;     // 0 keeps MPICH's device from overriding the choice; null: none
};

constexpr const char* kDynamicRules = "coll_tuned_use_dynamic_rules";

constexpr auto kRows = std::to_array<Row>({
    // Open MPI. coll_tuned reads the choice when it is set up on a new communicator, libnbc in the
    // call.
    {Collective::all_reduce, Mode::blocking, "coll_tuned_allreduce_algorithm", Reach::communicator,
     kDynamicRules, nullptr},
    {Collective::broadcast, Mode::blocking, "coll_tuned_bcast_algorithm", Reach::communicator,
     kDynamicRules, nullptr},
    {Collective::barrier, Mode::blocking, "coll_tuned_barrier_algorithm", Reach::communicator,
     kDynamicRules, nullptr},
    {Collective::all_reduce, Mode::nonblocking, "coll_libnbc_iallreduce_algorithm", Reach::call,
     nullptr, nullptr},
    {Collective::broadcast, Mode::nonblocking, "coll_libnbc_ibcast_algorithm", Reach::call, nullptr,
     nullptr},
    // MPICH reads its choices in the call, when the device leaves the call to it.
    {Collective::all_reduce, Mode::blocking, "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", Reach::call,
     nullptr, "MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE"},
    {Collective::broadcast, Mode::blocking, "MPIR_CVAR_BCAST_INTRA_ALGORITHM", Reach::call, nullptr,
     "MPIR_CVAR_BCAST_DEVICE_COLLECTIVE"},
    {Collective::barrier, Mode::blocking, "MPIR_CVAR_BARRIER_INTRA_ALGORITHM", Reach::call, nullptr,
     "MPIR_CVAR_BARRIER_DEVICE_COLLECTIVE"},
    {Collective::all_reduce, Mode::nonblocking, "MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM", Reach::call,
     nullptr, "MPIR_CVAR_IALLREDUCE_DEVICE_COLLECTIVE"},
    {Collective::broadcast, Mode::nonblocking, "MPIR_CVAR_IBCAST_INTRA_ALGORITHM", Reach::call,
     nullptr, "MPIR_CVAR_IBCAST_DEVICE_COLLECTIVE"},
    {Collective::barrier, Mode::nonblocking, "MPIR_CVAR_IBARRIER_INTRA_ALGORITHM", Reach::call,
     nullptr, "MPIR_CVAR_IBARRIER_DEVICE_COLLECTIVE"},
});

// Not algorithms: they leave the choice to the library, as an empty name does.
bool is_own_choice(std::string_view name) {
  return name == "ignore" || name == "auto" || name.ends_with("_auto");
}

std::optional<Selector> selector_of(const Row& row) {
  if (row.condition != nullptr) {
    const auto condition = ControlVariable::find(row.condition);
    if (!condition || condition->read() == 0) return std::nullopt;
  }
  auto choice = ControlVariable::find(row.choice);
  if (!choice || !choice->writable()) return std::nullopt;
  Selector selector{row.collective, row.mode, row.reach, std::move(*choice), 0, {}, {}, 0};
  selector.own_choice = selector.choice.read();
  for (const auto& named : selector.choice.named_values()) {
    if (!is_own_choice(named.name)) selector.offered.push_back(named);
  }
  if (row.bypass != nullptr) {
    if (auto bypass = ControlVariable::find(row.bypass)) {
      selector.own_bypass = bypass->read();
      selector.bypass.emplace(std::move(*bypass));
    }
  }
  return selector;
}

}  // namespace

ChosenAlgorithm::ChosenAlgorithm(const Selector& selector, int value) : selector_(&selector) {
  if (selector.bypass) selector.bypass->write(0);
  selector.choice.write(value);
}

ChosenAlgorithm::~ChosenAlgorithm() {
  if (selector_ == nullptr) return;
  selector_->choice.write(selector_->own_choice);
  if (selector_->bypass) selector_->bypass->write(selector_->own_bypass);
}

void Algorithms::discover() {
  selectors_.clear();
  for (const auto& row : kRows) {
    if (auto selector = selector_of(row)) selectors_.push_back(std::move(*selector));
  }
}

std::vector<AlgorithmList> Algorithms::lists() const {
  std::vector<AlgorithmList> lists;
  for (const auto& selector : selectors_) {
    AlgorithmList list{selector.collective, selector.mode, {}};
    for (const auto& named : selector.offered) list.names.push_back(named.name);
    lists.push_back(std::move(list));
  }
  return lists;
}

const Selector* Algorithms::find(Collective collective, Mode mode) const {
  const auto at = std::ranges::find_if(selectors_, [&](const Selector& selector) {
    return selector.collective == collective && selector.mode == mode;
  });
  return at == selectors_.end() ? nullptr : &*at;
}

std::optional<std::string> Algorithms::unsupported(
    const Operation& operation, const std::vector<int>& communicator_sizes) const {
  const auto& name = operation.algorithm.name;
  if (name.empty()) return std::nullopt;
  const auto* selector = find(operation.collective, operation.mode);
  if (selector == nullptr ||
      std::ranges::find(selector->offered, name, &NamedValue::name) == selector->offered.end()) {
    return "this library has no algorithm '" + name + "' for the collective";
  }
  const bool all_pairs =
      std::ranges::all_of(communicator_sizes, [](int size) { return size == 2; });
  if (name == "two_proc" && !all_pairs) return "algorithm 'two_proc' is for two ranks only";
  return std::nullopt;
}

bool Algorithms::needs_communicator(const Operation& operation) const {
  if (operation.algorithm.name.empty()) return false;
  const auto* selector = find(operation.collective, operation.mode);
  return selector != nullptr && selector->reach == Reach::communicator;
}

ChosenAlgorithm Algorithms::choose(Collective collective, Mode mode, const std::string& name,
                                   Reach reach) const {
  if (name.empty()) return {};
  const auto* selector = find(collective, mode);
  ALLPROVE_CHECK(selector != nullptr);
  if (selector->reach != reach) return {};
  const auto at = std::ranges::find(selector->offered, name, &NamedValue::name);
  ALLPROVE_CHECK(at != selector->offered.end());
  return ChosenAlgorithm(*selector, at->value);
}

}  // namespace allprove
