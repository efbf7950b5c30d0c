// That everything which can be wrong about a case is drawn, and drawn often.
#include "framework/search/draw.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

#include "framework/search/edit.h"
#include "tests/unit/search/drawn.h"
#include "tests/unit/search/served.h"

namespace allprove {
namespace {

// How often each value of something occurs among the calls with buffers.
Tally tally(const std::function<std::string(const Case&, const Operation&)>& value_of) {
  Tally found;
  for_each_call(drawn(), [&](const Case& c, const Operation& o) { ++found[value_of(c, o)]; });
  return found;
}

// Of those that are of the kind.
Tally tally_if(const std::function<bool(const CollectiveTraits&)>& is_of_kind,
               const std::function<std::string(const Operation&)>& value_of) {
  Tally found;
  for_each_call(drawn(), [&](const Case&, const Operation& o) {
    if (is_of_kind(traits_of(o.collective))) {
      ++found[fmt::format("{} {}", name_of(o.collective), value_of(o))];
    }
  });
  return found;
}

void expect_all_at_least(const Tally& tally, std::size_t kinds, int least) {
  EXPECT_EQ(tally.size(), kinds);
  for (const auto& [value, count] : tally) EXPECT_GE(count, least) << value;
}

TEST(Draw, EveryCollectiveIsDrawnOftenInEveryMode) {
  Tally found;
  for_each_entry(drawn(), [&](const Case&, const Operation& o) {
    ++found[fmt::format("{} {}", name_of(o.collective), name_of(o.mode))];
  });
  expect_all_at_least(found, drawn_collectives().size() * 3, 30);
}

TEST(Draw, EveryCollectiveIsStartedAndCompletedLater) {
  Tally found;
  for_each_entry(drawn(), [&](const Case&, const Operation& o) {
    if (o.kind == OperationKind::start) ++found[std::string(name_of(o.collective))];
  });
  expect_all_at_least(found, drawn_collectives().size(), 60);
}

TEST(Draw, EveryCollectiveThatCanIsDrawnInPlace) {
  const auto found = tally_if([](auto& traits) { return traits.can_in_place; },
                              [](auto& o) { return o.in_place ? "in place" : "out of place"; });
  expect_all_at_least(found, 15 * 2, 70);
}

TEST(Draw, EveryRootIsDrawn) {
  Space space;
  space.ranks = {7};
  std::set<std::string> roots;
  for_each_call(cases_of(space, 3, 1000), [&](const Case&, const Operation& o) {
    if (traits_of(o.collective).rooted) {
      roots.insert(fmt::format("{} {}", name_of(o.collective), o.root));
    }
  });
  EXPECT_EQ(roots.size(), 6u * 7);
}

TEST(Draw, EveryTypeMeetsEveryOperatorInReductionsAndEveryOtherCollective) {
  Tally pairs;
  Tally user;
  Tally moved;
  for_each_call(drawn(), [&](const Case&, const Operation& o) {
    if (traits_of(o.collective).reduces) {
      auto& tally = traits_of(o.op).kind == OpClass::user ? user : pairs;
      ++tally[fmt::format("{}/{}", name_of(o.dtype), name_of(o.op))];
    } else {
      ++moved[fmt::format("{} of {}", name_of(o.collective), name_of(o.dtype))];
      EXPECT_EQ(o.op, Op::sum);
    }
  });
  // Integers; those without logical operators; reals; complex numbers; bytes; truth values; pairs.
  expect_all_at_least(pairs, 8u * 10 + 3 * 7 + 3 * 4 + 2 * 2 + 3 + 3 + 6 * 2, 8);
  expect_all_at_least(user, 3u * (8 + 3), 3);
  expect_all_at_least(moved, 15u * 24, 2);
}

// --- Blocks --------------------------------------------------------------------------------------

TEST(Draw, BlocksOfEveryKindAreDrawnForEveryCollectiveThatHasThem) {
  const auto irregular = [](const CollectiveTraits& traits) { return traits.irregular; };
  const auto sizes = tally_if(irregular, [](auto& o) {
    const auto& counts = o.counts;
    if (counts.empty()) return "all alike";
    const auto zeros = std::ranges::count(counts, 0);
    if (zeros == std::ssize(counts)) return "all empty";
    if (zeros > 0) return "some empty";
    return counts.size() == 1 ? "one size" : "several sizes";
  });
  expect_all_at_least(sizes, 9u * 5, 8);
  const auto placed = [](const CollectiveTraits& t) { return t.irregular && !t.reduces; };
  const auto places = tally_if(placed, [](auto& o) {
    return fmt::format("{}, {}", o.holes != 0 ? "holes" : "close", o.order != 0 ? "mixed" : "");
  });
  expect_all_at_least(places, 8u * 4, 15);
}

// A list that is shorter than the blocks are many is used again from its beginning.
TEST(Draw, ListsOfCountsAreShorterAndLongerThanTheRanks) {
  int shorter = 0;
  int full = 0;
  for_each_call(drawn(), [&](const Case& c, const Operation& o) {
    shorter += !o.counts.empty() && std::ssize(o.counts) < c.ranks ? 1 : 0;
    full += std::ssize(o.counts) >= c.ranks ? 1 : 0;
  });
  EXPECT_GT(shorter, 300);
  EXPECT_GT(full, 300);
}

// --- Layouts ------------------------------------------------------------------------------------

TEST(Draw, EveryKindOfLayoutIsDrawnOnEachSide) {
  Tally kinds;
  Tally users;
  for_each_call(drawn(), [&](const Case&, const Operation& o) {
    for (const auto* layout : {&o.send_layout, &o.receive_layout}) {
      if (layout->kind == LayoutKind::dense) continue;
      const auto side = layout == &o.send_layout ? "sent" : "received";
      ++kinds[fmt::format("{} {}", name_of(layout->kind), side)];
      ++users[fmt::format("{} {}", name_of(o.collective), side)];
      kinds["on all ranks"] += layout->ranks == Layout{}.ranks;
      kinds["on some ranks"] += layout->ranks != Layout{}.ranks;
      kinds["the block is one item"] += layout->items == 0;
      kinds["several items"] += layout->items != 0;
      kinds["without gaps"] += layout->gap == 0;
      EXPECT_TRUE(may_be_derived(o)) << "predefined operators take none";
    }
  });
  expect_all_at_least(kinds, 6u * 2 + 5, 50);
  // A broadcast has one buffer only. Of reductions, those by user-defined operators.
  expect_all_at_least(users, 15u + 14 + 6 * 2, 3);
  EXPECT_EQ(users.count("broadcast sent"), 0u);
}

// --- Elements -----------------------------------------------------------------------------------

TEST(Draw, EveryValueOfEveryDimensionIsDrawnOften) {
  expect_each_at_least(tally([](auto&, auto& o) { return std::string(name_of(o.data.family)); }),
                       {"ramp", "closed", "free", "special"}, 500);
  expect_each_at_least(tally([](auto&, auto& o) { return fmt::format("{}", o.shape.size()); }),
                       {"0", "1", "2", "3", "4", "5"}, 400);
  expect_each_at_least(tally([](auto&, auto& o) { return fmt::format("{}", o.skew != 0); }),
                       {"true", "false"}, 5000);
  expect_each_at_least(
      tally([](auto&, auto& o) { return fmt::format("{}", o.algorithm.pick != 0); }),
      {"true", "false"}, 2000);
  const auto means = tally_if([](auto& traits) { return traits.reduces; },
                              [](auto& o) { return o.divide ? "divided" : "not divided"; });
  expect_all_at_least(means, 6u * 2, 40);
}

// Dimensions of a count on which code takes another way.
TEST(Draw, CountsOfEveryKindAreDrawnOften) {
  const auto counts = tally([](const Case& c, const Operation& o) {
    const auto n = count_of(o);
    if (n == 0) return "none";
    if (n == 1) return "one";
    if (n < c.ranks) return "fewer than ranks";
    if (n % c.ranks == 1 && c.ranks > 2) return "one more than a multiple of the ranks";
    if (n >= 2048) return "2048 or more";
    if (std::has_single_bit(static_cast<std::uint64_t>(n))) return "power of two";
    if (std::has_single_bit(static_cast<std::uint64_t>(n + 1))) return "below a power of two";
    if (std::has_single_bit(static_cast<std::uint64_t>(n - 1))) return "above a power of two";
    return n % 4 == 0 ? "even" : "with a tail";
  });
  expect_each_at_least(
      counts,
      {"none", "one", "fewer than ranks", "one more than a multiple of the ranks", "2048 or more",
       "power of two", "below a power of two", "above a power of two", "even", "with a tail"},
      250);
}

// All blocks together.
TEST(Draw, MostBuffersAreSmallAndAFewLarge) {
  std::int64_t all = 0;
  const auto sizes = tally([&](const Case& c, const Operation& o) {
    const auto elements = elements_max(c, o);
    const auto bytes = elements * static_cast<std::int64_t>(size_of(o.dtype));
    ++all;
    return bytes <= 4096 ? "small" : bytes <= 65536 ? "medium" : "large";
  });
  EXPECT_GT(sizes.at("small"), all * 80 / 100);
  EXPECT_GT(sizes.at("medium"), all * 2 / 100);
  EXPECT_GT(sizes.at("large"), all * 2 / 1000);
}

// Other ranks' inputs of these families are made anew on every rank.
TEST(Draw, DataThatCostsMuchIsShort) {
  for_each_call(drawn(), [](const Case& c, const Operation& o) {
    const bool costly = o.data.family == Family::free || o.data.family == Family::special;
    if (costly) {
      EXPECT_LE(elements_max(c, o), 4096);
    }
  });
}

TEST(Draw, EveryKindOfCommunicatorIsDrawnOften) {
  Tally kinds;
  for_each_call(drawn(), [&](const Case& c, const Operation& o) {
    const auto& group = c.groups[static_cast<std::size_t>(o.group)];
    ++kinds[std::string(name_of(group.kind))];
    std::size_t members = 0;
    bool reversed = false;
    bool alone = false;
    for (const auto& part : group.parts) {
      members += part.size();
      reversed |= part.size() > 1 && std::ranges::is_sorted(part, std::greater{});
      alone |= part.size() == 1;
    }
    kinds["several parts"] += group.parts.size() > 1;
    kinds["reversed"] += reversed;
    kinds["a rank alone"] += alone && c.ranks > 1;
    kinds["a rank outside"] += members > 0 && static_cast<int>(members) < c.ranks;
  });
  expect_each_at_least(kinds,
                       {"world", "duplicate", "split", "several parts", "reversed", "a rank alone",
                        "a rank outside"},
                       300);
}

// --- Programs -----------------------------------------------------------------------------------

TEST(Draw, ProgramsHaveEveryKindOfOperationAndEveryLength) {
  Tally kinds;
  for (const auto& test_case : drawn()) {
    for (const auto& operation : test_case.program) ++kinds[std::string(name_of(operation.kind))];
    const auto length = test_case.program.size();
    kinds["a single operation"] += length == 1;
    kinds["2 to 8 operations"] += length >= 2 && length <= 8;
    kinds["9 or more operations"] += length >= 9;
    kinds["25 or more operations"] += length >= 25;
  }
  expect_each_at_least(kinds,
                       {"start", "wait", "test", "wait_all", "wait_some", "a single operation",
                        "2 to 8 operations", "9 or more operations"},
                       150);
  expect_each_at_least(kinds, {"comm_create", "comm_free", "delay", "25 or more operations"}, 20);
}

// What is under way at each operation of a program, and how it is completed.
struct InFlight {
  std::vector<int> requests;  // labels, in the order in which they started
  void complete(int request) { std::erase(requests, request); }
};

Tally tally_requests(const Case& test_case) {
  Tally found;
  InFlight in_flight;
  std::map<int, int> starts;  // of each persistent request
  for (const auto& o : test_case.program) {
    auto& requests = in_flight.requests;
    if (o.kind == OperationKind::call) ++found[requests.empty() ? "call alone" : "call meanwhile"];
    if (o.kind == OperationKind::start) {
      requests.push_back(o.request);
      ++found[fmt::format("{} under way", requests.size())];
      if (o.mode == Mode::persistent) ++found[fmt::format("start {}", ++starts[o.request])];
    }
    if (completes_request(o.kind)) {
      ++found[requests.front() == o.request ? "the oldest first" : "a later one first"];
      in_flight.complete(o.request);
    }
    if (completes_all(o.kind)) {
      ++found[fmt::format("{} of {}", name_of(o.kind), std::min<std::size_t>(requests.size(), 3))];
      requests.clear();
    }
  }
  return found;
}

TEST(Draw, RequestsAreCompletedInEveryWayAndStartedAgain) {
  Tally found;
  for (const auto& test_case : drawn()) {
    for (const auto& [what, count] : tally_requests(test_case)) found[what] += count;
  }
  expect_each_at_least(found,
                       {"call alone", "call meanwhile", "1 under way", "2 under way", "3 under way",
                        "the oldest first", "a later one first", "wait_all of 2", "wait_some of 2",
                        "start 1", "start 2", "start 3"},
                       100);
  expect_each_at_least(
      found, {"wait_all of 3", "wait_some of 3", "4 under way", "start 4", "start 5"}, 30);
}

TEST(Draw, APersistentRequestIsStartedAgainWithOtherData) {
  int restarts = 0;
  for (const auto& test_case : drawn()) {
    std::map<int, Data> last;
    for (const auto& o : test_case.program) {
      if (o.kind != OperationKind::start || o.mode != Mode::persistent) continue;
      const auto [before, is_first] = last.emplace(o.request, o.data);
      if (is_first) continue;
      ++restarts;
      EXPECT_EQ(before->second.seed != o.data.seed, traits_of(o.collective).moves_data);
      before->second = o.data;
    }
  }
  EXPECT_GT(restarts, 500);
}

TEST(Draw, ThreadsHaveCommunicatorsOfTheirOwn) {
  Space space;
  space.threads = 3;
  const Generator generator(5, space);
  Tally threads;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const auto test_case = generator.at(i);
    const auto status = validate(test_case);
    ASSERT_TRUE(status) << status.error().message;
    std::set<int> callers;
    for (const auto& o : test_case.program) {
      if (enters_collective(o.kind)) callers.insert(o.thread);
    }
    ++threads[std::to_string(callers.size())];
  }
  expect_each_at_least(threads, {"1", "2", "3"}, 50);
}

// --- What the properties get to judge -----------------------------------------------------------

TEST(Draw, EveryPropertyHasSomethingToJudgeInManyCases) {
  Tally served;
  int cases = 0;
  for (const auto& test_case : drawn()) {
    if (test_case.ranks < 2) continue;
    ++cases;
    std::set<std::string> properties;
    for (const auto& [property, collective] : served_by(test_case)) properties.insert(property);
    for (const auto& property : properties) ++served[property];
  }
  expect_each_at_least(served, comparing_properties(), cases * 8 / 100);
}

}  // namespace
}  // namespace allprove
