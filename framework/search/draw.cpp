#include "framework/search/draw.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "framework/model/use.h"
#include "framework/search/edit.h"
#include "framework/search/group.h"
#include "framework/search/operands.h"
#include "framework/search/series.h"

namespace allprove {
namespace {

constexpr std::int64_t kManyElements = 4096;
constexpr std::size_t kInFlightMax = 6;

template <class List>
const auto& pick(const List& list, RandomStream& stream) {
  return list[stream.below(std::size(list))];
}

int draw_length(int operations_max, RandomStream& stream) {
  const auto kind = stream.below(100);
  const auto length = kind < 45   ? stream.between(1, 3)
                      : kind < 85 ? stream.between(4, 8)
                      : kind < 97 ? stream.between(9, 14)
                                  : stream.between(15, 30);
  return static_cast<int>(std::min<std::int64_t>(length, operations_max));
}

class Drawing {
 public:
  Drawing(const Choices& choices, int ranks, RandomStream stream)
      : choices_(choices), ranks_(ranks), stream_(stream) {
    case_.ranks = ranks;
  }

  Case draw() {
    draw_groups();
    assign_threads();
    if (!choices_.demanded.empty() || !draw_special()) draw_program();
    if (choices_.probes) draw_probe();
    drop_unused_groups(case_);
    return std::move(case_);
  }

 private:
  void draw_program() {
    const int length = draw_length(choices_.operations_max, stream_);
    if (!choices_.demanded.empty()) draw_demanded();
    while (static_cast<int>(case_.program.size()) < length && room() > 0) draw_block();
    emit_later();
    while (!in_flight_.empty()) complete_one();
  }

  // Operations that may still be added, when all that is promised has its place.
  int room() const {
    const auto promised = case_.program.size() + later_.size() + in_flight_.size();
    return choices_.operations_max - static_cast<int>(promised);
  }

  void draw_groups() {
    const auto kind = stream_.below(100);
    const int extra = kind < 30 ? 0 : kind < 70 ? 1 : kind < 90 ? 2 : 3;
    for (int i = 0; i < extra; ++i) add_group(pick(choices_.groups, stream_));
  }

  Group group_of_entry(std::uint64_t entry) const {
    auto of_entry =
        RandomStream(choices_.seed).split(static_cast<std::uint64_t>(ranks_)).split(2 + entry);
    return pooled_group(entry, ranks_, of_entry);
  }

  // The index of the group of a pool's entry. One that comes late is any thread's.
  int add_group(std::uint64_t entry) {
    auto group = group_of_entry(entry);
    const auto found = std::ranges::find(case_.groups, group);
    const auto index = static_cast<int>(found - case_.groups.begin());
    if (found != case_.groups.end()) return index;
    case_.groups.push_back(std::move(group));
    if (!thread_of_.empty()) thread_of_.push_back(draw_thread());
    return index;
  }

  int draw_thread() {
    return static_cast<int>(stream_.below(static_cast<std::uint64_t>(choices_.threads)));
  }

  // Thread 0 has the world, on which it makes communicators; every other thread has at least one.
  void assign_threads() {
    for (int thread = 1; thread < choices_.threads; ++thread) {
      case_.groups.push_back(group_of_entry(pick(choices_.groups, stream_)));
    }
    thread_of_.assign(case_.groups.size(), 0);
    const auto others = static_cast<std::size_t>(choices_.threads - 1);
    for (std::size_t i = 1; others > 0 && i < thread_of_.size(); ++i) {
      const bool extra = i + others < thread_of_.size();
      thread_of_[i] = extra ? draw_thread() : static_cast<int>(thread_of_.size() - i);
    }
  }

  int thread_of(int group) const { return thread_of_[static_cast<std::size_t>(group)]; }

  // A neighborhood collective takes a topology of the case, or brings one.
  int draw_topology() {
    std::vector<int> fitting;
    for (std::size_t i = 0; i < case_.groups.size(); ++i) {
      if (case_.groups[i].topology != Topology{}) fitting.push_back(static_cast<int>(i));
    }
    if (!fitting.empty() && stream_.chance(2, 3)) return pick(fitting, stream_);
    return add_group(pick(choices_.topologies, stream_));
  }

  // For such a call; the world where the group that was drawn has none.
  int draw_group_index(const Operation& operation, int members_min = 1) {
    if (needs_neighbors(operation.collective)) return draw_topology();
    auto index = 0;
    if (stream_.chance(1, 8)) {
      index = add_group(pick(choices_.two_sided, stream_));
    } else if (case_.groups.size() > 1 && !stream_.chance(2, 5)) {
      index = 1 + static_cast<int>(stream_.below(case_.groups.size() - 1));
    }
    const auto& group = case_.groups[static_cast<std::size_t>(index)];
    const bool fits = members_max(group, ranks_) >= members_min && may_run_on(group, operation);
    return fits ? index : 0;
  }

  bool has_two_sides(const Operation& operation) const {
    return group_of(operation).kind == GroupKind::inter;
  }
  const Group& group_of(const Operation& operation) const {
    return case_.groups[static_cast<std::size_t>(operation.group)];
  }

  void draw_demanded() {
    std::vector<const Pattern*> fitting;
    std::ranges::copy_if(choices_.demanded, std::back_inserter(fitting),
                         [&](const auto* pattern) { return pattern->members_min <= ranks_; });
    draw_pattern(*pick(fitting, stream_));
  }

  // One pattern, or one of the operations that stand beside them.
  void draw_block() {
    const auto kind = stream_.below(100);
    const bool only_barriers = choices_.reducing.empty() && choices_.moving.empty();
    if (kind < 2 && case_.groups.size() > 1 && room() >= 2) return renew_communicator();
    if (kind < 3) return draw_delay();
    if (choices_.barriers && (kind < 8 || only_barriers)) return draw_barrier();
    const bool compares = kind < 58 && !choices_.patterns.empty();
    const auto& single = all_patterns().front();
    const auto& pattern = compares ? *pick(choices_.patterns, stream_) : single;
    draw_pattern(pattern.operations <= room() && pattern.members_min <= ranks_ ? pattern : single);
  }

  // A collective that the pattern applies to; a barrier where there is no other.
  Collective draw_collective(const Pattern& pattern) {
    const auto draw_from = [&](const std::vector<Collective>& list) {
      std::vector<Collective> fitting;
      std::ranges::copy_if(list, std::back_inserter(fitting), pattern.applies);
      return fitting.empty() ? Collective::barrier : pick(fitting, stream_);
    };
    const bool can_reduce = !choices_.reductions_for(pattern.operands).empty();
    const bool can_move = may_move(pattern) && !choices_.dtypes.empty();
    const auto reducing = can_reduce ? draw_from(choices_.reducing) : Collective::barrier;
    const auto moving = can_move ? draw_from(choices_.moving) : Collective::barrier;
    if (reducing == Collective::barrier) return moving;
    if (moving == Collective::barrier) return reducing;
    return stream_.chance(2, 5) ? reducing : moving;
  }

  void draw_pattern(const Pattern& pattern) {
    const auto collective = draw_collective(pattern);
    if (collective == Collective::barrier) return draw_barrier();
    Operation first = draw_call(pattern, collective);
    auto operations = pattern.twins(first, stream_);
    operations.insert(operations.begin(), std::move(first));
    const bool fit = std::ranges::all_of(operations, [&](const Operation& operation) {
      return may_run_on(group_of(operation), operation);
    });
    for (auto& operation : operations) {
      if (!fit) operation.group = 0;
    }
    if (operations.size() > 1 && stream_.chance(1, 2)) std::ranges::reverse(operations);
    const bool at_once = stream_.chance(2, 3);
    for (std::size_t i = 1; i < operations.size(); ++i) later_.push_back(operations[i]);
    emit(std::move(operations.front()));
    if (at_once) emit_later();
  }

  void emit_later() {
    while (!later_.empty()) {
      auto operation = std::move(later_.front());
      later_.pop_front();
      emit(std::move(operation));
    }
  }

  Operation draw_call(const Pattern& pattern, Collective collective) {
    auto operation = draw_signature(pattern, collective);
    draw_operands(operation, {ranks_, choices_.bytes_max, pattern.count_min, pattern.exact},
                  stream_);
    draw_manner(operation);
    return operation;
  }

  // Which call it is, and of which types; not of how much.
  Operation draw_signature(const Pattern& pattern, Collective collective) {
    const auto traits = traits_of(collective);
    Operation operation;
    operation.collective = collective;
    operation.group = draw_group_index(operation, pattern.members_min);
    const bool one_side = !has_two_sides(operation);
    if (traits.reduces) {
      const auto& typed = pick(choices_.reductions_for(pattern.operands), stream_);
      operation.dtype = typed.dtype;
      operation.op = typed.op;
      operation.divide = operation.op == Op::sum && one_side && stream_.chance(1, 6);
    } else {
      operation.dtype = pick(choices_.dtypes, stream_);
    }
    if (traits.can_in_place && one_side) operation.in_place = stream_.chance(1, 4);
    if (traits.rooted) {
      operation.root = static_cast<int>(stream_.below(static_cast<std::uint64_t>(ranks_)));
    }
    return operation;
  }

  Operation make_barrier() {
    Operation operation;
    operation.collective = Collective::barrier;
    operation.group = draw_group_index(operation);
    draw_manner(operation);
    operation.skew = 0;
    return operation;
  }
  void draw_barrier() { emit(make_barrier()); }

  // Now and then a case of a kind of its own; whether it is one.
  bool draw_special() {
    const auto& large = choices_.large;
    if (choices_.series_max > 0 && stream_.chance(1, 40)) return draw_series();
    if (ranks_ > large.ranks_max || !stream_.chance(1, large.one_in)) return false;
    return draw_large();
  }

  // Many small calls of one kind.
  bool draw_series() {
    const auto& single = all_patterns().front();
    const bool barrier = choices_.barriers && stream_.chance(1, 20);
    const auto collective = barrier ? Collective::barrier : draw_collective(single);
    Operation call;
    if (collective == Collective::barrier) {
      call = make_barrier();
    } else {
      call = draw_call(single, collective);
      make_small(call, stream_);
    }
    call.thread = thread_of(call.group);
    case_.program = series_of(call, choices_.series_max, stream_);
    return true;
  }

  // One call of much data.
  bool draw_large() {
    const auto& single = all_patterns().front();
    const auto collective = draw_collective(single);
    if (collective == Collective::barrier) return false;
    auto call = draw_signature(single, collective);
    const auto& [one_in, bytes_min, bytes_max, ranks_max] = choices_.large;
    draw_large_operands(call, {ranks_, stream_.between(bytes_min, bytes_max)}, stream_);
    draw_manner(call);
    emit(std::move(call));
    while (!in_flight_.empty()) complete_one();
    return true;
  }

  // After everything else: what came before may have left something behind, for the next
  // communicator or the next call.
  void draw_probe() {
    const auto group = add_group(kDuplicateGroup);
    renew(group);
    Operation probe;
    probe.group = group;
    probe.data.seed = stream_.next();
    probe.shape = {stream_.between(1, 8)};
    case_.program.push_back(probe);
  }

  void draw_delay() {
    Operation operation;
    operation.kind = OperationKind::delay;
    operation.delay_us = stream_.between(1, 100);
    case_.program.push_back(operation);
  }

  // A communicator freed and made anew; now and then while requests on it are under way.
  void renew_communicator() {
    const int group = 1 + static_cast<int>(stream_.below(case_.groups.size() - 1));
    const bool busy = std::ranges::any_of(
        in_flight_, [&](const Operation& started) { return started.group == group; });
    if (busy && !stream_.chance(1, 8)) return;
    if (thread_of(group) != 0) return;
    renew(group);
  }

  void renew(int group) {
    for (const auto kind : {OperationKind::comm_free, OperationKind::comm_create}) {
      Operation operation;
      operation.kind = kind;
      operation.group = group;
      case_.program.push_back(operation);
    }
  }

  // How it is called.
  void draw_manner(Operation& operation) {
    const auto mode = stream_.below(12);
    operation.mode = mode < 7 ? Mode::blocking : mode < 10 ? Mode::nonblocking : Mode::persistent;
    if (stream_.chance(1, 2)) operation.skew = static_cast<int>(stream_.between(1, 63));
    // Some libraries need a communicator of its own for each: mostly on the world, for the cache.
    // Libraries have none to choose from between two sides.
    if (choices_.algorithms && !has_two_sides(operation) &&
        stream_.chance(operation.group == 0 ? 4 : 1, 8)) {
      operation.algorithm.pick = static_cast<std::uint32_t>(stream_.between(1, 0xffffffff));
    }
  }

  // Appends the operation, perhaps taken apart into a start and a later wait or test.
  void emit(Operation operation) {
    operation.thread = thread_of(operation.group);
    const bool can_start = operation.mode != Mode::blocking;
    if (can_start && room() >= 2 && in_flight_.size() < kInFlightMax && stream_.chance(3, 5)) {
      operation.kind = OperationKind::start;
      operation.request = requests_++;
      in_flight_.push_back(operation);
    }
    case_.program.push_back(std::move(operation));
    if (!later_.empty() && stream_.chance(1, 3)) emit_later();
    if (!in_flight_.empty() && stream_.chance(1, 3)) complete_one();
  }

  // Completes any of the requests, not in the order in which they started; or all of them.
  void complete_one() {
    Operation operation;
    if (choices_.threads == 1 && in_flight_.size() > 1 && stream_.chance(1, 3)) {
      operation.kind = stream_.chance(2, 3) ? OperationKind::wait_all : OperationKind::wait_some;
      case_.program.push_back(operation);
      const auto completed = std::exchange(in_flight_, {});
      for (const auto& start : completed) start_again(start);
      return;
    }
    const auto chosen =
        in_flight_.begin() + static_cast<std::ptrdiff_t>(stream_.below(in_flight_.size()));
    operation.kind = stream_.chance(1, 3) ? OperationKind::test : OperationKind::wait;
    operation.request = chosen->request;
    operation.thread = chosen->thread;
    const auto completed = *chosen;
    in_flight_.erase(chosen);
    case_.program.push_back(operation);
    start_again(completed);
  }

  // A persistent request lives for more than one start, each with fresh data; one of many elements
  // for fewer, since all starts cost alike.
  void start_again(Operation start) {
    if (start.mode != Mode::persistent || room() < 2) return;
    if (!stream_.chance(count_of(start) > kManyElements ? 1 : 4, 6)) return;
    if (traits_of(start.collective).moves_data) start.data.seed = stream_.next();
    in_flight_.push_back(start);
    case_.program.push_back(std::move(start));
  }

  const Choices& choices_;
  const int ranks_;
  RandomStream stream_;
  Case case_;
  std::vector<int> thread_of_;   // by group
  std::deque<Operation> later_;  // twins that come after something else
  std::vector<Operation> in_flight_;
  int requests_ = 0;
};

}  // namespace

Case draw_case(const Choices& choices, int ranks, RandomStream stream) {
  return Drawing(choices, ranks, stream).draw();
}

}  // namespace allprove
