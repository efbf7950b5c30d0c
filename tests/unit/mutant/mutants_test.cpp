// The planted bugs: their table, the relations in which some of them show, and that those are right
// outside of them. That each is caught is for the tests of the whole product.
#include "backends/mutant/mutants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <functional>
#include <set>
#include <thread>

#include "backends/mutant/gaps.h"
#include "backends/mutant/mutant_backend.h"
#include "properties/table.h"

namespace allprove::mutant {
namespace {

TEST(Mutants, EveryOneHasANameOfItsOwnABugAndAPropertyThatCatchesIt) {
  std::set<std::string_view> names;
  for (const auto& mutant : all_mutants()) {
    EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
    EXPECT_NE(mutant.bug, nullptr) << mutant.name;
    EXPECT_NE(find_property(mutant.caught_by), nullptr) << mutant.name;
    EXPECT_EQ(mutant.about.back(), '.') << mutant.name;
    EXPECT_EQ(find_mutant(mutant.name), &mutant);
  }
  EXPECT_EQ(find_mutant("none"), nullptr);
}

TEST(Mutants, EveryPropertyHasOne) {
  for (const auto& property : all_properties()) {
    EXPECT_TRUE(std::ranges::any_of(all_mutants(), [&](const Mutant& mutant) {
      return mutant.caught_by == property.name;
    })) << property.name;
  }
}

template <class T>
PastCall call_of(const std::vector<T>& input, std::vector<std::uint64_t> hashes = {1, 2}) {
  PastCall call;
  call.dtype = sizeof(T) == 4 ? Dtype::int32 : Dtype::int8;
  const auto bytes = std::as_bytes(std::span(input));
  call.input.assign(bytes.begin(), bytes.end());
  call.telling = true;
  call.hashes = std::move(hashes);
  return call;
}

using Ints = std::vector<std::int32_t>;

TEST(Relations, InputsMayBeTheSameOrTheSameOnOtherRanks) {
  const auto earlier = call_of<int>({1, 2}, {7, 8, 9});
  EXPECT_TRUE(same_inputs(call_of<int>({1, 2}, {7, 8, 9}), earlier));
  EXPECT_FALSE(same_inputs(call_of<int>({1, 2}, {8, 9, 7}), earlier));
  EXPECT_TRUE(same_inputs_elsewhere(call_of<int>({1, 2}, {8, 9, 7}), earlier));
  EXPECT_FALSE(same_inputs_elsewhere(call_of<int>({1, 2}, {7, 8, 9}), earlier));
  EXPECT_FALSE(same_inputs_elsewhere(call_of<int>({1, 2}, {7, 8, 10}), earlier));
}

TEST(Relations, ScaledInputsAreAMultipleInEveryElement) {
  const auto earlier = call_of<int>({1, -2, 1 << 30});
  EXPECT_TRUE(scaled_inputs(call_of<int>({5, -10, 1 << 30}), earlier)) << "modulo 2^32";
  EXPECT_FALSE(scaled_inputs(call_of<int>({5, -10, 7}), earlier));
  EXPECT_FALSE(scaled_inputs(earlier, earlier));
  EXPECT_FALSE(scaled_inputs(call_of<int>({3}), earlier));
}

TEST(Relations, APieceIsTheBeginningOrTheEnd) {
  const auto whole = call_of<int>({1, 2, 3, 4, 5});
  EXPECT_TRUE(begins_with(whole, call_of<int>({1, 2})));
  EXPECT_FALSE(begins_with(whole, call_of<int>({2, 3})));
  EXPECT_FALSE(begins_with(whole, whole));
  EXPECT_TRUE(ends(call_of<int>({3, 4, 5}), whole));
  EXPECT_FALSE(ends(call_of<int>({1, 2}), whole));
  EXPECT_FALSE(ends(whole, whole));
}

TEST(Relations, TheAlteredElementIsTheOnlyOneThatDiffers) {
  const auto earlier = call_of<int>({1, 2, 3});
  EXPECT_EQ(altered_element(call_of<int>({1, 2, 9}), earlier), 2);
  EXPECT_EQ(altered_element(call_of<int>({8, 2, 9}), earlier), -1);
  EXPECT_EQ(altered_element(earlier, earlier), -1);
  EXPECT_EQ(altered_element(call_of<int>({1, 2}), earlier), -1);
}

TEST(Relations, ThereIsNoneBetweenTypesOrWhereInputsAreNotTelling) {
  const auto earlier = call_of<int>({1, 2, 3});
  EXPECT_FALSE(same_inputs(call_of<signed char>({1, 2, 3}), earlier));
  auto dull = call_of<int>({1, 2, 3});
  dull.telling = false;
  EXPECT_FALSE(same_inputs(dull, earlier));
}

BufferSide side_of(Ints& data) {
  BufferSide side;
  side.data = reinterpret_cast<std::byte*>(data.data());
  side.count = static_cast<std::int64_t>(data.size());
  return side;
}

CollectiveArguments arguments_of(Ints& send, Ints& receive) {
  CollectiveArguments arguments;
  arguments.send = side_of(send);
  arguments.receive = side_of(receive);
  return arguments;
}

// ---- whole mutants, with threads in the place of the ranks' processes

constexpr int kRanks = 3;

// What a rank does with its mutant, in a world of three.
using Body = std::function<void(MutantBackend&, Communicator*, int rank)>;

void on_all_ranks(std::string_view name, const Body& body) {
  UniqueFd arena(memfd_create("allprove-test", MFD_CLOEXEC));
  EXPECT_EQ(ftruncate(arena.get(), off_t{16} << 20), 0);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      MutantBackend backend(*find_mutant(name));
      ASSERT_TRUE(backend.start(WorldPlace{rank, kRanks, UniqueFd(dup(arena.get()))}));
      Case test_case;
      test_case.ranks = kRanks;
      std::unique_ptr<Communicator> communicator;
      ASSERT_EQ(backend.open(test_case, 0, Operation{}, communicator).code, 0);
      body(backend, communicator.get(), rank);
    });
  }
  for (auto& thread : threads) thread.join();
}

// The sums that the ranks get from a call on each of these inputs; rank r has r added to every
// element.
std::vector<std::vector<Ints>> run(std::string_view name, const std::vector<Ints>& inputs) {
  std::vector<std::vector<Ints>> results(kRanks);
  on_all_ranks(name, [&](MutantBackend& backend, Communicator* communicator, int rank) {
    for (auto input : inputs) {
      for (auto& element : input) element += rank;
      auto& output = results[static_cast<std::size_t>(rank)].emplace_back(input.size());
      auto arguments = arguments_of(input, output);
      arguments.communicator = communicator;
      EXPECT_EQ(backend.call(arguments, "").code, 0);
    }
  });
  return results;
}

Ints sum_of(const Ints& input) {
  Ints sum = input;
  for (auto& element : sum) element = kRanks * element + 3;
  return sum;
}

const Ints kFirst = {111'111, 22'222'222, 333'333'333};
const Ints kSecond = {4'444'444, 55'555'555, 66'666};

TEST(MutantBackend, ABugChangesTheResult) {
  EXPECT_EQ(run("averages", {{2, 5}})[0][0], (Ints{3, 6}));
  EXPECT_EQ(run("drops_last_rank", {{2, 5}})[2][0], (Ints{5, 11}));
  EXPECT_NE(run("last_rank_wrong", {kFirst})[2][0], sum_of(kFirst));
  EXPECT_EQ(run("last_rank_wrong", {kFirst})[1][0], sum_of(kFirst));
}

TEST(MutantBackend, ABugOfARelationShowsInItAndNowhereElse) {
  for (const auto* name : {"in_place_wrong", "nonblocking_wrong", "order_dependent", "nonlinear",
                           "neighbour_bleeds", "split_wrong"}) {
    for (const auto& of_rank : run(name, {kFirst, kSecond})) {
      EXPECT_EQ(of_rank[0], sum_of(kFirst)) << name;
      EXPECT_EQ(of_rank[1], sum_of(kSecond)) << name;
    }
  }
  auto altered = kFirst;
  altered[1] += 5;
  for (const auto& of_rank : run("neighbour_bleeds", {kFirst, altered})) {
    EXPECT_EQ(of_rank[0], sum_of(kFirst));
    EXPECT_EQ(of_rank[1][1], sum_of(altered)[1]);
    EXPECT_NE(of_rank[1][2], sum_of(altered)[2]);
  }
  const Ints tail(kFirst.begin() + 1, kFirst.end());
  for (const auto& of_rank : run("split_wrong", {kFirst, tail})) {
    EXPECT_EQ(of_rank[0], sum_of(kFirst));
    EXPECT_NE(of_rank[1], sum_of(tail));
  }
}

TEST(MutantBackend, ABugIsInItsCollectivesAlone) {
  EXPECT_EQ(run("scan_includes_successor", {kFirst})[0][0], sum_of(kFirst));
  on_all_ranks("scan_includes_successor",
               [](MutantBackend& backend, Communicator* communicator, int rank) {
                 Ints mine = {1 << rank};
                 Ints sum(1);
                 auto arguments = arguments_of(mine, sum);
                 arguments.collective = Collective::scan;
                 arguments.communicator = communicator;
                 EXPECT_EQ(backend.call(arguments, "").code, 0);
                 EXPECT_EQ(sum[0], (Ints{3, 7, 7}[static_cast<std::size_t>(rank)]));
               });
}

TEST(MutantBackend, ABugMayMisreadWhereBlocksLie) {
  const auto gather = [](std::string_view name, const std::vector<std::int64_t>& displacements) {
    Ints all(5, -1);
    on_all_ranks(name, [&](MutantBackend& backend, Communicator* communicator, int rank) {
      Ints mine = {rank};
      auto arguments = arguments_of(mine, all);
      if (rank != 0) arguments.receive = {};
      arguments.collective = Collective::gatherv;
      arguments.communicator = communicator;
      if (rank == 0) {
        arguments.receive.counts = {1, 1, 1};
        arguments.receive.displacements = displacements;
      }
      EXPECT_EQ(backend.call(arguments, "").code, 0);
    });
    return all;
  };
  EXPECT_EQ(gather("averages", {4, 0, 2}), (Ints{1, -1, 2, -1, 0}));
  EXPECT_EQ(gather("gatherv_no_holes", {4, 0, 2}), (Ints{1, -1, 2, -1, 0}));
  EXPECT_EQ(gather("gatherv_no_holes", {0, 2, 4}), (Ints{0, 1, 2, -1, -1}));
  EXPECT_EQ(gather("gatherv_in_rank_order", {4, 0, 2}), (Ints{0, -1, 1, -1, 2}));
}

// The sums of two requests that are started one after the other and waited for in this way.
template <class Wait>
std::vector<std::int32_t> two_requests(std::string_view name, Wait wait) {
  std::vector<std::int32_t> sums;
  on_all_ranks(name, [&](MutantBackend& backend, Communicator* communicator, int rank) {
    Ints inputs[] = {{1}, {10}};
    Ints outputs[] = {{-1}, {-1}};
    std::unique_ptr<Request> requests[2];
    for (std::size_t i = 0; i < 2; ++i) {
      auto arguments = arguments_of(inputs[i], outputs[i]);
      arguments.mode = Mode::nonblocking;
      arguments.communicator = communicator;
      EXPECT_EQ(backend.start(arguments, "", requests[i]).code, 0);
    }
    wait(backend, *requests[0], *requests[1]);
    if (rank == 2) sums = {outputs[0][0], outputs[1][0]};
  });
  return sums;
}

TEST(MutantBackend, ABugOfRequestsKnowsHowTheyAreCompleted) {
  const auto in_order = [](MutantBackend& backend, Request& first, Request& second) {
    backend.wait(first);
    backend.wait(second);
  };
  const auto backwards = [](MutantBackend& backend, Request& first, Request& second) {
    backend.wait(second);
    backend.wait(first);
  };
  const auto together = [](bool some) {
    return [some](MutantBackend& backend, Request& first, Request& second) {
      Request* const all[] = {&first, &second};
      backend.wait_all(all, some);
    };
  };
  const auto tested = [](MutantBackend& backend, Request& first, Request& second) {
    bool done = false;
    backend.wait(first);
    backend.test(second, done);
    EXPECT_TRUE(done);
  };
  EXPECT_EQ(two_requests("overtaken_undone", in_order), (Ints{3, 30}));
  EXPECT_EQ(two_requests("overtaken_undone", backwards), (Ints{-1, 30}));
  EXPECT_EQ(two_requests("wait_all_leaves_last", in_order), (Ints{3, 30}));
  EXPECT_EQ(two_requests("wait_all_leaves_last", together(true)), (Ints{3, 30}));
  EXPECT_EQ(two_requests("wait_all_leaves_last", together(false)), (Ints{3, -1}));
  EXPECT_EQ(two_requests("wait_some_leaves_first", together(true)), (Ints{-1, 30}));
  EXPECT_EQ(two_requests("test_completes_early", in_order), (Ints{3, 30}));
  EXPECT_EQ(two_requests("test_completes_early", tested), (Ints{3, -1}));
  EXPECT_EQ(two_requests("requests_mixed_up", in_order), (Ints{12, 30}));
}

TEST(MutantBackend, ABugMayShowWhenAPersistentRequestIsStartedAgain) {
  on_all_ranks("persistent_first_data",
               [](MutantBackend& backend, Communicator* communicator, int) {
                 Ints mine = {1};
                 Ints sum = {-1};
                 auto arguments = arguments_of(mine, sum);
                 arguments.mode = Mode::persistent;
                 arguments.communicator = communicator;
                 std::unique_ptr<Request> request;
                 EXPECT_EQ(backend.init(arguments, "", request).code, 0);
                 EXPECT_EQ(backend.start_request(*request).code, 0);
                 EXPECT_EQ(backend.wait(*request).code, 0);
                 EXPECT_EQ(sum[0], 3);
                 mine[0] = 5;
                 sum[0] = -1;
                 EXPECT_EQ(backend.start_request(*request).code, 0);
                 EXPECT_EQ(backend.wait(*request).code, 0);
                 EXPECT_EQ(sum[0], 3) << "15 would be right";
               });
}

TEST(MutantBackend, ABugMayShowWhereDataComesAfterARequestIsMade) {
  on_all_ranks("persistent_init_data", [](MutantBackend& backend, Communicator* communicator, int) {
    Ints mine = {1};
    Ints sum = {-1};
    auto arguments = arguments_of(mine, sum);
    arguments.mode = Mode::persistent;
    arguments.communicator = communicator;
    std::unique_ptr<Request> request;
    EXPECT_EQ(backend.init(arguments, "", request).code, 0);
    mine[0] = 5;
    for (const int result : {3, 15}) {
      EXPECT_EQ(backend.start_request(*request).code, 0);
      EXPECT_EQ(backend.wait(*request).code, 0);
      EXPECT_EQ(sum[0], result);
    }
  });
}

TEST(Gaps, AreTheBytesThatBelongToNoElement) {
  Layout layout;
  layout.kind = LayoutKind::vector;
  layout.items = 4;
  layout.gap = 3;
  for (layout.seed = 0; layout.seed < 50; ++layout.seed) {
    const auto map = type_map(layout, 4, 4);
    const Placement placement(map, {{0, 2}});
    const auto used = bytes_of_elements(placement);
    EXPECT_EQ(std::count(used.begin(), used.end(), true), 32);
    std::vector<std::byte> buffer(used.size());
    auto* const base = buffer.data() - placement.first_byte();
    placement.arm_gaps(base, 0);
    spoil_first_gap(placement, base);
    EXPECT_EQ(placement.inspect_gaps(base, 0).bytes, placement.has_gaps() ? 1 : 0);
  }
}

TEST(MutantBackend, AMutantMayWaitForItsMoment) {
  const auto results = run("wrong_after_100", std::vector<Ints>(102, kFirst))[0];
  EXPECT_EQ(results[99], sum_of(kFirst));
  EXPECT_NE(results[100], sum_of(kFirst));
}

}  // namespace
}  // namespace allprove::mutant
