// The planted bugs: their table, the relations in which some of them show, and that those are right
// outside of them. That each is caught is for the tests of the whole product.
#include "backends/mutant/mutants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <set>
#include <thread>

#include "backends/mutant/mutant_backend.h"
#include "properties/table.h"

namespace allprove::mutant {
namespace {

TEST(Mutants, EveryOneHasANameOfItsOwnABugAndAPropertyThatCatchesIt) {
  std::set<std::string_view> names;
  for (const auto& mutant : all_mutants()) {
    EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
    EXPECT_TRUE((mutant.instead == nullptr) != (mutant.after == nullptr)) << mutant.name;
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

// ---- whole mutants, with threads in the place of the ranks' processes

constexpr int kRanks = 3;

// The sums that the ranks of a world of three get from a call on each of these inputs; rank r has
// r added to every element.
std::vector<std::vector<Ints>> run(std::string_view name, const std::vector<Ints>& inputs) {
  UniqueFd arena(memfd_create("allprove-test", MFD_CLOEXEC));
  EXPECT_EQ(ftruncate(arena.get(), off_t{16} << 20), 0);
  std::vector<std::vector<Ints>> results(kRanks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      MutantBackend backend(*find_mutant(name));
      ASSERT_TRUE(backend.start(WorldPlace{rank, kRanks, UniqueFd(dup(arena.get()))}));
      Case test_case;
      test_case.ranks = kRanks;
      std::unique_ptr<Communicator> communicator;
      ASSERT_EQ(backend.open(test_case, 0, Operation{}, communicator).code, 0);
      for (auto input : inputs) {
        for (auto& element : input) element += rank;
        auto& output = results[static_cast<std::size_t>(rank)].emplace_back(input.size());
        CollectiveArguments arguments;
        arguments.count = static_cast<std::int64_t>(input.size());
        arguments.send = input.data();
        arguments.receive = output.data();
        arguments.communicator = communicator.get();
        EXPECT_EQ(backend.call(arguments, "").code, 0);
      }
    });
  }
  for (auto& thread : threads) thread.join();
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

TEST(MutantBackend, AMutantMayWaitForItsMoment) {
  const auto results = run("wrong_after_100", std::vector<Ints>(102, kFirst))[0];
  EXPECT_EQ(results[99], sum_of(kFirst));
  EXPECT_NE(results[100], sum_of(kFirst));
}

}  // namespace
}  // namespace allprove::mutant
