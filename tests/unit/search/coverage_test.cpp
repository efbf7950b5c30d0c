// How soon everything comes up that a bug may need: in few cases, whatever the seed.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tests/unit/search/drawn.h"
#include "tests/unit/search/served.h"

namespace allprove {
namespace {

using Features = std::set<std::string>;

template <class Each>
void for_each_start_count(const Case& test_case, Each each) {
  std::map<int, int> starts;  // of each request
  for (const auto& operation : test_case.program) {
    if (operation.kind != OperationKind::start) continue;
    each(operation, ++starts[operation.request]);
  }
}

void add_manner(const Operation& operation, Features& features) {
  const auto name = name_of(operation.collective);
  features.insert(fmt::format("{}, {}", name, name_of(operation.mode)));
  if (operation.in_place) features.insert(fmt::format("{}, in place", name));
}

void add_blocks(const Operation& operation, Features& features) {
  const auto name = name_of(operation.collective);
  const auto& counts = operation.counts;
  if (std::ranges::count(counts, 0) > 0) features.insert(fmt::format("{}, a zero", name));
  if (counts.size() > 1 && std::ranges::min(counts) < std::ranges::max(counts)) {
    features.insert(fmt::format("{}, unequal", name));
  }
  if (operation.holes != 0) features.insert(fmt::format("{}, holes", name));
  if (operation.order != 0) features.insert(fmt::format("{}, order", name));
}

void add_layouts(const Operation& operation, Features& features) {
  for (const auto* layout : {&operation.send_layout, &operation.receive_layout}) {
    if (layout->kind == LayoutKind::dense) continue;
    const auto side = layout == &operation.send_layout ? "sent" : "received";
    features.insert(fmt::format("{} {}", name_of(layout->kind), side));
    features.insert(fmt::format("{}, layout {}", name_of(operation.collective), side));
  }
}

void add_group(const Group& group, const Operation& operation, Features& features) {
  const auto name = name_of(operation.collective);
  features.insert(fmt::format("{}, {}", name, name_of(group.kind)));
  if (group.topology.reorder) features.insert(fmt::format("{}, reordered", name));
  if (group.kind == GroupKind::inter && traits_of(operation.collective).rooted) {
    const auto side = inter_place_at(group, operation.root).part;
    features.insert(fmt::format("{}, root on side {}", name, side));
  }
}

std::string_view kind_of(Op op) {
  constexpr std::string_view kNames[] = {"arithmetic", "order",    "bitwise",
                                         "logical",    "location", "user"};
  return kNames[static_cast<std::size_t>(traits_of(op).kind)];
}

void add_types(const Operation& operation, Features& features) {
  const auto traits = traits_of(operation.collective);
  if (!traits.moves_data) return;
  const auto dtype = name_of(operation.dtype);
  if (!traits.reduces) features.insert(fmt::format("{} moved", dtype));
  if (!traits.reduces) return;
  features.insert(std::string(name_of(operation.op)));
  features.insert(fmt::format("{} {}", dtype, kind_of(operation.op)));
  features.insert(fmt::format("{}, {}", name_of(operation.collective), kind_of(operation.op)));
}

Features features_of(const Case& test_case) {
  Features features;
  for_each_entry({test_case}, [&](const Case& in, const Operation& operation) {
    add_group(in.groups[static_cast<std::size_t>(operation.group)], operation, features);
    add_manner(operation, features);
    add_blocks(operation, features);
    add_layouts(operation, features);
    add_types(operation, features);
  });
  for_each_start_count(test_case, [&](const Operation&, int starts) {
    if (starts == 3) features.insert("a third start");
  });
  for (const auto& [property, collective] : served_by(test_case)) {
    features.insert(fmt::format("{}, {}", name_of(collective), property));
  }
  return features;
}

// Every type moved, and reduced by every kind of operator that is defined on it.
void add_all_types(Features& all) {
  for (std::size_t d = 0; d < names_of<Dtype>().size(); ++d) {
    const auto dtype = static_cast<Dtype>(d);
    if (!traits_of(dtype).runs) continue;
    all.insert(fmt::format("{} moved", name_of(dtype)));
    for (const auto name : names_of<Op>()) {
      const auto op = *from_name<Op>(name);
      if (is_legal(op, dtype)) all.insert(fmt::format("{} {}", name_of(dtype), kind_of(op)));
    }
  }
  for (const auto op : names_of<Op>()) {
    if (op != "avg") all.insert(std::string(op));
  }
}

Features all_features() {
  Features all = {"a third start"};
  add_all_types(all);
  for (const auto collective : drawn_collectives()) {
    const auto traits = traits_of(collective);
    const auto add = [&](std::string_view what) {
      all.insert(fmt::format("{}, {}", name_of(collective), what));
    };
    for (const auto mode : names_of<Mode>()) add(mode);
    for (const auto op : names_of<Op>()) {
      if (traits.reduces) add(kind_of(*from_name<Op>(op)));
    }
    if (traits.can_in_place) add("in place");
    if (needs_neighbors(collective)) {
      for (const auto* group : {"cartesian", "graph", "reordered"}) add(group);
    } else if (collective != Collective::scan && collective != Collective::exscan) {
      add("inter");
      if (traits.rooted) {
        add("root on side 0");
        add("root on side 1");
      }
    }
    if (traits.irregular) {
      add("a zero");
      add("unequal");
    }
    if (traits.irregular && !traits.reduces) {
      add("holes");
      add("order");
    }
    if (traits.moves_data && !traits.reduces) add("layout received");
    if (traits.moves_data && !traits.reduces && collective != Collective::broadcast) {
      add("layout sent");
    }
    for (const auto& property : comparing_properties()) {
      if (speaks_of(property, collective)) add(property);
    }
  }
  for (const auto kind : names_of<LayoutKind>()) {
    if (kind == "dense") continue;
    all.insert(fmt::format("{} sent", kind));
    all.insert(fmt::format("{} received", kind));
  }
  return all;
}

TEST(Coverage, EverythingComesUpWithinFifteenHundredCasesOfAnySeed) {
  const auto all = all_features();
  EXPECT_GT(all.size(), 180u);
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    auto missing = all;
    const Generator generator(seed, Space{});
    for (std::uint64_t k = 0; k < 1500 && !missing.empty(); ++k) {
      for (const auto& feature : features_of(generator.at(k))) missing.erase(feature);
    }
    EXPECT_EQ(fmt::format("{}", fmt::join(missing, "; ")), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace allprove
