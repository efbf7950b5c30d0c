#include "framework/oracle/oracle.h"

#include <array>

#include "framework/base/check.h"
#include "framework/base/enum_table.h"
#include "framework/oracle/meaning.h"
#include "framework/oracle/typed_oracle.h"

namespace allprove {

Call call_of(const Case& test_case, const Operation& operation, const Membership& membership) {
  Call call;
  call.collective = operation.collective;
  call.dtype = operation.dtype;
  call.op = operation.op;
  call.divide = operation.divide;
  call.count = count_of(operation);
  call.counts = operation.counts;
  call.in_place = operation.in_place;
  call.cut = operation.cut;
  call.data = operation.data;
  for (const int rank : membership.members) call.ids.push_back(logical_of(test_case, rank));
  const auto& group = test_case.groups[static_cast<std::size_t>(operation.group)];
  if (group.kind == GroupKind::inter && membership.part >= 0) {
    for (const int rank : group.parts[static_cast<std::size_t>(remote_part(membership.part))]) {
      call.remote_ids.push_back(logical_of(test_case, rank));
    }
  }
  if (needs_neighbors(operation.collective)) call.topology = group.topology;
  const auto sizes = block_sizes_of(test_case, operation, membership);
  call.root = sizes.root;
  call.role = sizes.role;
  return call;
}

class Oracle::State {
 public:
  void begin(const Call& call) {
    call_ = call;
    if (!traits_of(call.collective).moves_data) return;
    auto& typed = typed_[slot_of(call)];
    if (!typed) typed = oracle::make_typed_oracle(call);
    current_ = typed.get();
    current_->begin(call_);
  }
  const Call& call() const { return call_; }
  oracle::TypedOracle& current() {
    ALLPROVE_CHECK(current_ != nullptr && traits_of(call_.collective).moves_data);
    return *current_;
  }

 private:
  Call call_;
  // By dtype, and by operator where a user defined it.
  static constexpr std::size_t kDtypes = names_of<Dtype>().size();
  static constexpr std::size_t kUserOperators = 3;
  static std::size_t slot_of(const Call& call) {
    const auto dtype = static_cast<std::size_t>(call.dtype);
    if (!oracle::has_user_operator(call)) return dtype;
    return dtype + kDtypes * (1 + static_cast<std::size_t>(call.op) -
                              static_cast<std::size_t>(Op::user_sum));
  }
  std::array<std::unique_ptr<oracle::TypedOracle>, kDtypes*(1 + kUserOperators)> typed_;
  oracle::TypedOracle* current_ = nullptr;  // of call_
};

Oracle::Oracle() : state_(std::make_unique<State>()) {}
Oracle::~Oracle() = default;
Oracle::Oracle(Oracle&&) noexcept = default;
Oracle& Oracle::operator=(Oracle&&) noexcept = default;

void Oracle::begin(const Call& call) { state_->begin(call); }
bool Oracle::has_input(int position) const { return oracle::gives_input(state_->call(), position); }
bool Oracle::has_output(int position) const {
  return oracle::holds_output(state_->call(), position);
}

std::int64_t Oracle::input_count(int position) const {
  return total(given_blocks(oracle::sizes_of(state_->call()), position));
}
std::int64_t Oracle::output_count(int position) const {
  return total(received_blocks(oracle::sizes_of(state_->call()), position));
}

void Oracle::fill_input(int position, std::byte* to) {
  ALLPROVE_CHECK(has_input(position));
  state_->current().fill_input(position, to);
}

void Oracle::judge_output(int position, const std::byte* output, std::byte before,
                          Evidence& evidence) {
  ALLPROVE_CHECK(has_output(position));
  state_->current().judge_output(position, output, before, evidence);
}

void Oracle::judge_input(int position, const std::byte* input, Evidence& evidence) {
  ALLPROVE_CHECK(has_input(position));
  state_->current().judge_input(position, input, evidence);
}

}  // namespace allprove
