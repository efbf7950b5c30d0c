#include "framework/search/group.h"

#include <algorithm>
#include <numeric>

#include "framework/search/topology.h"

namespace allprove {
namespace {

using Part = std::vector<int>;

Part everyone(int ranks) {
  Part all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void shuffle(Part& part, RandomStream& stream) {
  for (std::size_t i = part.size(); i > 1; --i) std::swap(part[i - 1], part[stream.below(i)]);
}

// Rank by rank to the part that `part_of` names; parts that got none are left out.
template <class PartOf>
std::vector<Part> distribute(const Part& ranks, std::size_t parts, PartOf part_of) {
  std::vector<Part> result(parts);
  for (std::size_t i = 0; i < ranks.size(); ++i) result[part_of(i)].push_back(ranks[i]);
  std::erase_if(result, [](const Part& part) { return part.empty(); });
  return result;
}

std::vector<Part> draw_parts(int ranks, std::uint64_t kind, RandomStream& stream) {
  auto all = everyone(ranks);
  const auto size = all.size();
  const auto parts = static_cast<std::size_t>(stream.between(2, 3));
  const auto contiguous = [&](std::size_t i) { return i * parts / size; };
  const auto strided = [&](std::size_t i) { return i % parts; };
  switch (kind) {
    case 0:  // all ranks in reverse
      std::reverse(all.begin(), all.end());
      return {all};
    case 1:  // all ranks in any order
      shuffle(all, stream);
      return {all};
    case 2:
      return distribute(all, parts, contiguous);
    case 3:
      return distribute(all, parts, strided);
    case 4:  // parts in reverse
      std::reverse(all.begin(), all.end());
      return stream.chance(1, 2) ? distribute(all, parts, contiguous)
                                 : distribute(all, parts, strided);
    case 5: {  // uneven: one rank beside all others
      const auto alone = stream.below(size);
      return distribute(all, 2, [&](std::size_t i) { return i == alone ? 1u : 0u; });
    }
    case 6:  // every rank by itself
      return distribute(all, size, [](std::size_t i) { return i; });
    case 7:  // a rank takes no part
      if (size > 1) all.erase(all.begin() + static_cast<std::ptrdiff_t>(stream.below(size)));
      return {all};
    default:  // anything
      shuffle(all, stream);
      return distribute(all, parts, [&](std::size_t) { return stream.below(parts); });
  }
}

static_assert(kCartesianGroups.count == kGrids && kGraphGroups.count == kNets);

// At most so many ranks, in any order; or, for most, all of them in theirs: no parts.
std::vector<Part> draw_members(int ranks, int members_max, RandomStream& stream) {
  if (members_max >= ranks && stream.chance(2, 3)) return {};
  auto all = everyone(ranks);
  shuffle(all, stream);
  if (members_max < ranks) {
    all.resize(static_cast<std::size_t>(members_max));
  } else if (ranks > 1 && stream.chance(1, 2)) {
    all.pop_back();
  }
  return {all};
}

Group draw_cartesian(Grid grid, int ranks, RandomStream& stream) {
  Group group{GroupKind::cartesian, {}};
  const int most = grid == Grid::ring_of_one ? 1 : grid == Grid::ring_of_two ? 2 : ranks;
  group.parts = draw_members(ranks, most, stream);
  group.topology = draw_grid(grid, members_max(group, ranks), stream);
  return group;
}

Group draw_graph(Net net, int ranks, RandomStream& stream) {
  Group group{GroupKind::graph, {}};
  group.parts = draw_members(ranks, ranks, stream);
  group.topology = draw_net(net, members_max(group, ranks), stream);
  return group;
}

Group draw_inter(std::uint64_t entry, int ranks, RandomStream& stream) {
  if (ranks < 2) return {GroupKind::duplicate, {}};
  auto all = everyone(ranks);
  const auto size = all.size();
  const auto sides = [&](auto side_of) {
    return Group{GroupKind::inter, distribute(all, 2, side_of)};
  };
  switch (entry) {
    case 0:  // halves
      return sides([&](std::size_t i) { return i * 2 / size; });
    case 1:
      return sides([](std::size_t i) { return i % 2; });
    case 2: {  // one rank, on either side
      const auto alone = stream.below(size);
      const auto other = stream.below(2);
      return sides([&](std::size_t i) { return i == alone ? 1 - other : other; });
    }
    default: {  // anything, perhaps without a rank
      shuffle(all, stream);
      if (size > 2 && stream.chance(1, 2)) all.pop_back();
      const auto first = 1 + stream.below(all.size() - 1);
      return sides([&](std::size_t i) { return i < first ? 0u : 1u; });
    }
  }
}

Group draw_plain(std::uint64_t entry, int ranks, RandomStream& stream) {
  constexpr std::uint64_t kPartings = 9;  // in draw_parts(); the other entries are duplicates
  if (entry >= kPartings) return {GroupKind::duplicate, {}};
  return {GroupKind::split, draw_parts(ranks, entry, stream)};
}

}  // namespace

Group pooled_group(std::uint64_t entry, int ranks, RandomStream& stream) {
  if (entry < kCartesianGroups.first) return draw_plain(entry, ranks, stream);
  if (entry < kGraphGroups.first) {
    return draw_cartesian(static_cast<Grid>(entry - kCartesianGroups.first), ranks, stream);
  }
  if (entry < kInterGroups.first) {
    return draw_graph(static_cast<Net>(entry - kGraphGroups.first), ranks, stream);
  }
  return draw_inter(entry - kInterGroups.first, ranks, stream);
}

int members_max(const Group& group, int ranks) {
  std::size_t largest = 0;
  for (const auto& part : group.parts) largest = std::max(largest, part.size());
  return group.parts.empty() ? ranks : static_cast<int>(largest);
}

void drop_unused_groups(Case& test_case) {
  std::vector<bool> used(test_case.groups.size(), false);
  used[0] = true;
  for (const auto& operation : test_case.program)
    used[static_cast<std::size_t>(operation.group)] = true;
  std::vector<int> renumbered(used.size(), 0);
  std::vector<Group> kept;
  for (std::size_t i = 0; i < used.size(); ++i) {
    renumbered[i] = static_cast<int>(kept.size());
    if (used[i]) kept.push_back(std::move(test_case.groups[i]));
  }
  test_case.groups = std::move(kept);
  for (auto& operation : test_case.program) {
    operation.group = renumbered[static_cast<std::size_t>(operation.group)];
  }
}

}  // namespace allprove
