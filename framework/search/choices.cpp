#include "framework/search/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "framework/base/check.h"
#include "framework/base/enum_table.h"
#include "framework/search/group.h"

namespace allprove {
namespace {

template <class T>
bool among(const std::vector<T>& wanted, T value) {
  return std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}
template <class T>
bool allowed(const std::vector<T>& wanted, T value) {
  return wanted.empty() || among(wanted, value);
}

// The collectives that are drawn, and how often each beside the others.
struct Weighted {
  Collective collective;
  int weight;
};
constexpr Weighted kCollectives[] = {
    {Collective::barrier, 1},
    {Collective::broadcast, 3},
    {Collective::reduce, 2},
    {Collective::all_reduce, 6},
    {Collective::scan, 2},
    {Collective::exscan, 2},
    {Collective::reduce_scatter, 2},
    {Collective::reduce_scatter_block, 2},
    {Collective::gather, 2},
    {Collective::gatherv, 2},
    {Collective::scatter, 2},
    {Collective::scatterv, 2},
    {Collective::all_gather, 2},
    {Collective::all_gatherv, 3},
    {Collective::all_to_all, 3},
    {Collective::all_to_allv, 3},
    {Collective::all_to_allw, 2},
    {Collective::neighbor_all_gather, 2},
    {Collective::neighbor_all_gatherv, 2},
    {Collective::neighbor_all_to_all, 2},
    {Collective::neighbor_all_to_allv, 2},
    {Collective::neighbor_all_to_allw, 2},
};
constexpr Op kOps[] = {Op::sum,    Op::prod,   Op::min,      Op::max,         Op::band,
                       Op::bor,    Op::bxor,   Op::land,     Op::lor,         Op::lxor,
                       Op::minloc, Op::maxloc, Op::user_sum, Op::user_affine, Op::user_matrix};

template <class T>
void append(std::vector<T>& list, T value, int times) {
  list.insert(list.end(), static_cast<std::size_t>(times), value);
}

// Sizes that are odd, or no power of two, break more algorithms.
int weight_of_size(int ranks) {
  if (ranks == 1) return 1;
  const bool power_of_two = (ranks & (ranks - 1)) == 0;
  return power_of_two ? 2 : 3;
}

// Without it, types of which few operators are defined would be rare.
int weight_of_type(Dtype dtype) {
  const bool few = traits_of(dtype).kind == DtypeClass::pair || can_round(dtype);
  return few ? 2 : 1;
}

void add_reductions(Choices& choices, const Space& space) {
  for (const auto dtype : choices.dtypes) {
    for (const auto op : kOps) {
      if (!allowed(space.ops, op) || !is_legal(op, dtype)) continue;
      const TypedOp typed{dtype, op};
      const bool sum = op == Op::sum;
      const bool order = op == Op::min || op == Op::max;
      const bool user = traits_of(op).kind == OpClass::user;
      const int weight = weight_of_type(dtype) * (sum ? 3 : 1);
      const auto add = [&](Operands operands) {
        append(choices.reductions[static_cast<std::size_t>(operands)], typed, weight);
      };
      add(Operands::any);
      if (!user) add(Operands::predefined);
      if (sum) add(Operands::sum);
      if (sum || (order && is_floating(dtype))) add(Operands::linear);
    }
  }
}

std::string collectives_of(const Pattern& pattern) {
  std::string list;
  for (const auto& [collective, weight] : kCollectives) {
    if (!pattern.applies(collective)) continue;
    list += list.empty() ? "" : ", ";
    list += name_of(collective);
  }
  return list;
}

// What keeps the pattern from being drawn; empty: nothing.
std::string obstacle(const Choices& choices, const Pattern& pattern) {
  const bool reduces = std::ranges::any_of(choices.reducing, pattern.applies);
  const bool moves = std::ranges::any_of(choices.moving, pattern.applies) ||
                     (choices.barriers && pattern.applies(Collective::barrier));
  if (!reduces && !moves) {
    return "it says nothing about these collectives, but about " + collectives_of(pattern);
  }
  const bool has_operands = reduces && !choices.reductions_for(pattern.operands).empty();
  if (!has_operands && !(moves && may_move(pattern))) {
    return "it says nothing about these operators and types";
  }
  const auto large_enough = [&](int ranks) { return ranks >= pattern.members_min; };
  if (std::ranges::none_of(choices.sizes, large_enough)) {
    return fmt::format("it needs a world of {} ranks", pattern.members_min);
  }
  if (pattern.operations > choices.operations_max) {
    return fmt::format("it needs {} operations", pattern.operations);
  }
  return "";
}
bool can_draw(const Choices& choices, const Pattern& pattern) {
  return obstacle(choices, pattern).empty();
}

void add_entries(std::vector<std::uint64_t>& list, PoolEntries entries, int weight) {
  for (std::uint64_t i = 0; i < entries.count; ++i) append(list, entries.first + i, weight);
}

// Topologies come with the neighborhood collectives, intercommunicators with others; and now and
// then either to all.
void add_groups(Choices& choices) {
  add_entries(choices.groups, kPlainGroups, 3);
  for (const auto entries : {kCartesianGroups, kGraphGroups}) {
    add_entries(choices.groups, entries, 1);
    add_entries(choices.topologies, entries, 1);
  }
  add_entries(choices.groups, kInterGroups, 1);
  add_entries(choices.two_sided, kInterGroups, 1);
}

void add_patterns(Choices& choices, const Space& space) {
  for (const auto& name : space.properties) {
    const auto& pattern = pattern_for(name);
    if (can_draw(choices, pattern)) choices.demanded.push_back(&pattern);
  }
  for (const auto& pattern : all_patterns()) {
    const bool wanted = space.properties.empty() || among(choices.demanded, &pattern);
    if (wanted && can_draw(choices, pattern)) append(choices.patterns, &pattern, pattern.weight);
  }
}

// Worlds too small for every demanded pattern have nothing to give.
void drop_useless_sizes(Choices& choices) {
  if (choices.demanded.empty()) return;
  int members_min = kRanksMax;
  for (const auto* pattern : choices.demanded) {
    members_min = std::min(members_min, pattern->members_min);
  }
  std::erase_if(choices.sizes, [&](int ranks) { return ranks < members_min; });
}

}  // namespace

Choices::Choices(std::uint64_t seed_of_run, const Space& space)
    : seed(seed_of_run),
      algorithms(space.algorithms && space.threads == 1),  // named by variables that threads share
      bytes_max(space.bytes_max),
      large(space.large),
      operations_max(space.operations_max),
      series_max(space.series_max),
      probes(space.probes && space.threads == 1 &&
             allowed(space.collectives, Collective::all_reduce) &&
             allowed(space.dtypes, Operation{}.dtype) && allowed(space.ops, Operation{}.op)),
      threads(space.threads) {
  for (const int ranks : space.ranks) append(sizes, ranks, weight_of_size(ranks));
  for (std::size_t i = 0; i < names_of<Dtype>().size(); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    if (traits_of(dtype).runs && allowed(space.dtypes, dtype)) dtypes.push_back(dtype);
  }
  add_groups(*this);
  barriers = allowed(space.collectives, Collective::barrier);
  for (const auto& [collective, weight] : kCollectives) {
    if (!allowed(space.collectives, collective)) continue;
    const auto traits = traits_of(collective);
    if (traits.reduces) append(reducing, collective, weight);
    // Who asks for an operator alone asks for reductions.
    const bool unasked = !space.ops.empty() && space.collectives.empty();
    if (traits.moves_data && !traits.reduces && !unasked) append(moving, collective, weight);
  }
  if (!reducing.empty()) add_reductions(*this, space);
  add_patterns(*this, space);
  drop_useless_sizes(*this);
}

int ranks_at(const Choices& choices, std::uint64_t number) {
  const auto run = number / kCasesPerRun;
  const auto size = choices.sizes.size();
  // A fresh order for every time that all sizes have had their turn. Fisher and Yates.
  RandomStream stream = RandomStream(choices.seed).split(run / size).split(1);
  std::vector<int> order = choices.sizes;
  for (std::size_t i = size - 1; i > 0; --i) std::swap(order[i], order[stream.below(i + 1)]);
  return order[run % size];
}

Status check(const Space& space) {
  if (space.ranks.empty()) return usage_error("ranks: no world size to draw from");
  for (const int ranks : space.ranks) {
    if (ranks < 1 || ranks > kRanksMax) {
      return usage_error(fmt::format("ranks: {} is not in 1 to {}", ranks, kRanksMax));
    }
  }
  for (const auto dtype : space.dtypes) {
    if (!traits_of(dtype).runs) {
      return usage_error(fmt::format("dtype: {} is not drawn yet", name_of(dtype)));
    }
  }
  for (const auto op : space.ops) {
    if (!std::ranges::count(kOps, op)) {
      return usage_error(fmt::format("op: {} is not drawn yet", name_of(op)));
    }
  }
  if (space.threads < 1 || space.threads > kThreadsMax) {
    return usage_error(fmt::format("threads: {} is not in 1 to {}", space.threads, kThreadsMax));
  }
  if (space.large.ranks_max > 0 && std::ranges::min(space.ranks) > space.large.ranks_max) {
    return usage_error(
        fmt::format("ranks: large cases need a world of at most {} ranks", space.large.ranks_max));
  }
  if (space.operations_max < 1) return usage_error("operations_max: at least 1");
  if (space.bytes_max < 64 * std::ranges::max(space.ranks)) {
    return usage_error("bytes_max: at least 64 for each rank");
  }

  const Choices choices(0, space);
  const bool reduces = !choices.reductions_for(Operands::any).empty();
  if (!reduces && !choices.reducing.empty() && (!space.ops.empty() || !space.collectives.empty())) {
    return usage_error("op and dtype: none of the operators is defined on any of the types");
  }
  if (!space.ops.empty() && choices.reducing.empty()) {
    return usage_error("op: none of the collectives takes an operator");
  }
  for (const auto& name : space.properties) {
    const auto reason = obstacle(choices, pattern_for(name));
    if (reason.empty()) continue;
    return usage_error(fmt::format("property: {}: {}", name, reason),
                       "widen --collective, --op, --dtype or --ranks");
  }
  return {};
}

}  // namespace allprove
