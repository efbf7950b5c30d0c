// The reference's collectives, with threads in the place of the ranks' processes. What they must
// leave is worked out here in the plainest way.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <functional>
#include <numeric>
#include <thread>

#include "backends/reference/collectives.h"
#include "backends/reference/messages.h"
#include "backends/reference/reduce.h"
#include "backends/reference/reference_backend.h"

namespace allprove::reference {
namespace {

UniqueFd new_arena() {
  UniqueFd fd(memfd_create("allprove-test", MFD_CLOEXEC));
  EXPECT_EQ(ftruncate(fd.get(), off_t{64} << 20), 0);
  return fd;
}

struct Rank {
  ReferenceBackend backend;
  int rank = 0;
  Case test_case;

  std::unique_ptr<Communicator> open(int group) {
    std::unique_ptr<Communicator> made;
    EXPECT_EQ(backend.open(test_case, group, Operation{}, made).code, 0);
    return made;
  }
};

// Runs `body` on every rank of a world of its own, with these groups.
void in_a_world(int size, std::vector<Group> groups, const std::function<void(Rank&)>& body) {
  const auto arena = new_arena();
  std::vector<std::thread> threads;
  for (int slot = 0; slot < size; ++slot) {
    threads.emplace_back([&, slot] {
      Rank rank;
      rank.test_case.ranks = size;
      rank.test_case.groups = groups;
      const auto ready = rank.backend.start(WorldPlace{slot, size, UniqueFd(dup(arena.get()))});
      ASSERT_TRUE(ready);
      EXPECT_EQ(ready->size, size);
      rank.rank = ready->rank;
      body(rank);
      rank.backend.finish();
    });
  }
  for (auto& thread : threads) thread.join();
}

const std::vector<Group> kWorld = {Group{}};

std::int32_t input(int rank, std::size_t i) {
  return static_cast<std::int32_t>(1'000'000'007u * static_cast<unsigned>(rank + 1) +
                                   2'654'435'761u * static_cast<unsigned>(i));
}

std::vector<std::int32_t> inputs(int rank, std::size_t count) {
  std::vector<std::int32_t> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = input(rank, i);
  return made;
}

std::vector<std::int32_t> sums(const std::vector<int>& ranks, std::size_t count) {
  std::vector<std::int32_t> made(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t sum = 0;
    for (const int rank : ranks) sum += static_cast<std::uint32_t>(input(rank, i));
    made[i] = static_cast<std::int32_t>(sum);
  }
  return made;
}

std::vector<int> all_of(int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

template <class T>
BufferSide side_of(const std::vector<T>& data) {
  BufferSide side;
  side.data = reinterpret_cast<std::byte*>(const_cast<T*>(data.data()));
  side.count = static_cast<std::int64_t>(data.size());
  return side;
}

CollectiveArguments all_reduce_of(const std::vector<std::int32_t>& from,
                                  std::vector<std::int32_t>& to, Communicator* communicator) {
  CollectiveArguments arguments;
  arguments.send = side_of(from);
  arguments.receive = side_of(to);
  arguments.communicator = communicator;
  return arguments;
}

constexpr std::size_t kChunkElements = kChunkBytes / sizeof(std::int32_t);

TEST(Reference, AllReduceSumsByEveryAlgorithmOnEverySizeAndLength) {
  for (int size = 1; size <= 6; ++size) {
    in_a_world(size, kWorld, [size](Rank& rank) {
      const auto communicator = rank.open(0);
      for (const auto* name : {"", "gather_then_broadcast", "recursive_doubling"}) {
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7},
                                        kChunkElements, 3 * kChunkElements + 5}) {
          const auto from = inputs(rank.rank, count);
          std::vector<std::int32_t> to(count, -1);
          auto arguments = all_reduce_of(from, to, communicator.get());
          EXPECT_EQ(rank.backend.call(arguments, name).code, 0);
          EXPECT_EQ(to, sums(all_of(size), count)) << name << " " << size << " " << count;
          EXPECT_EQ(from, inputs(rank.rank, count));
          auto both = from;
          arguments.send = {};
          arguments.receive = side_of(both);
          arguments.in_place = true;
          EXPECT_EQ(rank.backend.call(arguments, name).code, 0);
          EXPECT_EQ(both, to);
        }
      }
    });
  }
}

TEST(Reference, ByEveryAlgorithmAllRanksHoldTheSameBits) {
  constexpr std::size_t kCount = 100;
  for (const auto* name : {"", "gather_then_broadcast", "recursive_doubling"}) {
    for (const int size : {4, 5, 7}) {
      std::vector<std::vector<float>> outputs(static_cast<std::size_t>(size));
      in_a_world(size, kWorld, [&](Rank& rank) {
        const auto communicator = rank.open(0);
        std::vector<float> data(kCount);
        for (std::size_t i = 0; i < kCount; ++i) {
          data[i] = 1.0f / static_cast<float>(input(rank.rank, i));
        }
        CollectiveArguments arguments;
        arguments.dtype = Dtype::float32;
        arguments.in_place = true;
        arguments.receive = side_of(data);
        arguments.communicator = communicator.get();
        EXPECT_EQ(rank.backend.call(arguments, name).code, 0);
        outputs[static_cast<std::size_t>(rank.rank)] = std::move(data);
      });
      for (const auto& output : outputs) EXPECT_EQ(output, outputs[0]) << name << " " << size;
    }
  }
}

TEST(Reference, TheAlgorithmsThatAReadyMessageOffersAreThoseThatRun) {
  in_a_world(1, kWorld, [](Rank& rank) {
    Operation operation;
    operation.algorithm.name = "recursive_doubling";
    EXPECT_FALSE(rank.backend.unsupported(rank.test_case, operation));
    operation.algorithm.name = "magic";
    EXPECT_TRUE(rank.backend.unsupported(rank.test_case, operation));
  });
}

TEST(Reference, BroadcastGivesTheRootsDataToAll) {
  in_a_world(4, kWorld, [](Rank& rank) {
    const auto communicator = rank.open(0);
    for (int root = 0; root < 4; ++root) {
      const std::size_t count = 2 * kChunkElements + 3;
      auto data = inputs(rank.rank, count);
      CollectiveArguments arguments;
      arguments.collective = Collective::broadcast;
      arguments.root = root;
      arguments.receive = side_of(data);
      arguments.communicator = communicator.get();
      EXPECT_EQ(rank.backend.call(arguments, "").code, 0);
      EXPECT_EQ(data, inputs(root, count));
    }
  });
}

using Ints = std::vector<std::int32_t>;

TEST(Reference, AGathervPutsEachBlockWhereTheRootWantsIt) {
  in_a_world(3, kWorld, [](Rank& rank) {
    const auto communicator = rank.open(0);
    const Ints mine(static_cast<std::size_t>(rank.rank), 10 * rank.rank);
    Ints all(8, -1);
    CollectiveArguments arguments;
    arguments.collective = Collective::gatherv;
    arguments.root = 1;
    arguments.communicator = communicator.get();
    arguments.send = side_of(mine);
    if (rank.rank == 1) {
      arguments.receive = side_of(all);
      arguments.receive.counts = {0, 1, 2};
      arguments.receive.displacements = {0, 7, 2};
    }
    EXPECT_EQ(rank.backend.call(arguments, "").code, 0);
    const Ints untouched(8, -1);
    EXPECT_EQ(all, rank.rank == 1 ? (Ints{-1, -1, 20, 20, -1, -1, -1, 10}) : untouched);
  });
}

TEST(Reference, AnAllToAllvGivesEachPairItsOwnBlock) {
  in_a_world(2, kWorld, [](Rank& rank) {
    const auto communicator = rank.open(0);
    // Rank r gives rank t the numbers 100 r + 10 t, ..., r + 2 t of them.
    const Ints give = rank.rank == 0 ? Ints{10, 11} : Ints{110, 111, 112, 100};
    Ints get(4, -1);
    CollectiveArguments arguments;
    arguments.collective = Collective::all_to_allv;
    arguments.communicator = communicator.get();
    arguments.send = side_of(give);
    arguments.receive = side_of(get);
    arguments.send.counts =
        rank.rank == 0 ? std::vector<std::int64_t>{0, 2} : std::vector<std::int64_t>{1, 3};
    arguments.send.displacements =
        rank.rank == 0 ? std::vector<std::int64_t>{0, 0} : std::vector<std::int64_t>{3, 0};
    arguments.receive.counts =
        rank.rank == 0 ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{2, 3};
    // Too little room on rank 1: the rest of the block is lost, nothing is overwritten.
    if (rank.rank == 1) arguments.receive.counts[1] = 2;
    arguments.receive.displacements = {0, 2};
    EXPECT_EQ(rank.backend.call(arguments, "").code, 0);
    EXPECT_EQ(get, rank.rank == 0 ? (Ints{-1, -1, 100, -1}) : (Ints{10, 11, 110, 111}));
  });
}

TEST(Reference, AScanTakesTheMembersUpToEachAndAnExclusiveOneThoseBefore) {
  in_a_world(3, kWorld, [](Rank& rank) {
    const auto communicator = rank.open(0);
    const Ints mine = {1 << rank.rank};
    Ints sum = {-1};
    auto arguments = all_reduce_of(mine, sum, communicator.get());
    arguments.collective = Collective::scan;
    EXPECT_EQ(rank.backend.call(arguments, "").code, 0);
    EXPECT_EQ(sum[0], (Ints{1, 3, 7}[static_cast<std::size_t>(rank.rank)]));
    sum = {-1};
    arguments.collective = Collective::exscan;
    EXPECT_EQ(rank.backend.call(arguments, "").code, 0);
    EXPECT_EQ(sum[0], (Ints{-1, 1, 3}[static_cast<std::size_t>(rank.rank)]));
  });
}

TEST(Reference, APersistentRequestIsStartedAgainAndAgain) {
  in_a_world(2, kWorld, [](Rank& rank) {
    const auto communicator = rank.open(0);
    Ints mine = {0};
    Ints sum = {0};
    auto arguments = all_reduce_of(mine, sum, communicator.get());
    arguments.mode = Mode::persistent;
    std::unique_ptr<Request> request;
    EXPECT_EQ(rank.backend.init(arguments, "", request).code, 0);
    for (int round = 1; round < 5; ++round) {
      mine[0] = round + rank.rank;
      EXPECT_EQ(rank.backend.start_request(*request).code, 0);
      Request* const all[] = {request.get()};
      EXPECT_EQ(rank.backend.wait_all(all, round % 2 == 0).code, 0);
      EXPECT_EQ(sum[0], 2 * round + 1);
    }
  });
}

TEST(Messages, OfCallsThatDoNotMatchAreWhateverCame) {
  const std::vector<std::byte> noise(29, std::byte{0x5a});
  EXPECT_TRUE(Message(noise).block(0).empty());
  EXPECT_TRUE(Message().block(0).empty());
  const std::int64_t blocks[] = {1, 0, 2};
  const auto data = std::vector<std::byte>(6, std::byte{1});
  const Message message(blocks, 2, data);
  EXPECT_EQ(message.block(0).size(), 2u);
  EXPECT_EQ(message.block(1).size(), 0u);
  EXPECT_EQ(message.block(2).size(), 4u);
  EXPECT_TRUE(message.block(3).empty());
  const auto bytes = message.bytes();
  const std::vector<std::byte> shorter(bytes.begin(), bytes.end() - 3);
  EXPECT_EQ(Message(shorter).block(2).size(), 1u) << "what there is of it";
}

TEST(Reference, NobodyLeavesABarrierBeforeAllHaveCome) {
  std::atomic<int> arrived = 0;
  in_a_world(4, kWorld, [&](Rank& rank) {
    const auto communicator = rank.open(0);
    CollectiveArguments arguments;
    arguments.collective = Collective::barrier;
    arguments.communicator = communicator.get();
    for (int round = 1; round <= 200; ++round) {
      ++arrived;
      EXPECT_EQ(rank.backend.call(arguments, "").code, 0);
      EXPECT_GE(arrived.load(), 4 * round);
    }
  });
}

TEST(Reference, EveryPartOfAGroupReducesOnItsOwnInItsOwnOrder) {
  const std::vector<Group> groups = {Group{}, Group{GroupKind::split, {{3, 0}, {1, 4}}}};
  in_a_world(5, groups, [](Rank& rank) {
    const auto communicator = rank.open(1);
    const auto membership = membership_of(rank.test_case, 1, rank.rank);
    if (membership.part < 0) return;
    const auto& members = static_cast<const ReferenceCommunicator&>(*communicator).state->members;
    EXPECT_EQ(members.position(), membership.position);
    EXPECT_EQ(members.size(), 2);
    const auto from = inputs(rank.rank, 10);
    std::vector<std::int32_t> to(10);
    rank.backend.call(all_reduce_of(from, to, communicator.get()), "");
    EXPECT_EQ(to, sums(membership.members, 10));
  });
}

TEST(Reference, StartedCallsMatchInTheOrderInWhichTheyWereStarted) {
  in_a_world(3, kWorld, [](Rank& rank) {
    const auto communicator = rank.open(0);
    const auto first = inputs(rank.rank, 4);
    const auto second = inputs(rank.rank + 10, 4);
    const auto third = inputs(rank.rank + 20, 4);
    std::vector<std::int32_t> of_first(4), of_second(4), of_third(4);
    std::unique_ptr<Request> one, two;
    rank.backend.start(all_reduce_of(first, of_first, communicator.get()), "", one);
    rank.backend.start(all_reduce_of(second, of_second, communicator.get()), "", two);
    // Rank 0 goes on to its next call, the others wait in the opposite order.
    if (rank.rank == 0) {
      rank.backend.call(all_reduce_of(third, of_third, communicator.get()), "");
    }
    bool done = false;
    EXPECT_EQ(rank.backend.test(*two, done).code, 0);
    EXPECT_TRUE(done);
    EXPECT_EQ(rank.backend.wait(*one).code, 0);
    if (rank.rank != 0) {
      rank.backend.call(all_reduce_of(third, of_third, communicator.get()), "");
    }
    EXPECT_EQ(of_first, sums({0, 1, 2}, 4));
    EXPECT_EQ(of_second, sums({10, 11, 12}, 4));
    EXPECT_EQ(of_third, sums({20, 21, 22}, 4));
  });
}

TEST(Reference, ACallThatIsUnderWayOutlivesItsCommunicator) {
  in_a_world(2, kWorld, [](Rank& rank) {
    auto communicator = rank.open(0);
    const auto from = inputs(rank.rank, 4);
    std::vector<std::int32_t> to(4);
    std::unique_ptr<Request> request;
    rank.backend.start(all_reduce_of(from, to, communicator.get()), "", request);
    communicator.reset();
    communicator = rank.open(0);
    std::vector<std::int32_t> other(4);
    rank.backend.call(all_reduce_of(from, other, communicator.get()), "");
    EXPECT_EQ(rank.backend.wait(*request).code, 0);
    EXPECT_EQ(to, sums({0, 1}, 4));
    EXPECT_EQ(other, to);
  });
}

TEST(Reference, CommunicatorsComeAndGoForEver) {
  const std::vector<Group> groups = {Group{}, Group{GroupKind::split, {{0, 1}, {2}}},
                                     Group{GroupKind::split, {{2, 1, 0}}}};
  in_a_world(3, groups, [](Rank& rank) {
    for (int round = 0; round < 100; ++round) {
      const int group = round % 3;
      const auto kept = rank.open(0);
      const auto communicator = rank.open(group);
      const auto from = inputs(rank.rank, 3);
      std::vector<std::int32_t> to(3);
      rank.backend.call(all_reduce_of(from, to, communicator.get()), "");
      EXPECT_EQ(to, sums(membership_of(rank.test_case, group, rank.rank).members, 3));
    }
  });
}

TEST(Reference, RunningOutOfCommunicatorsIsAnErrorOfTheLibrary) {
  in_a_world(1, kWorld, [](Rank& rank) {
    std::vector<std::unique_ptr<Communicator>> all;
    LibraryStatus status;
    while (status.code == 0 && all.size() < 100'000) {
      status = rank.backend.open(rank.test_case, 0, Operation{}, all.emplace_back());
    }
    EXPECT_NE(status.code, 0);
    EXPECT_NE(status.message, "");
  });
}

TEST(Reference, AWorldThatDoesNotFitItsMemoryIsRefused) {
  const auto arena = new_arena();
  EXPECT_FALSE(Arena::join(arena, 0, 4096));
  EXPECT_FALSE(Arena::join(arena, 3, 3));
}

template <class T>
T combined(Op op, Dtype dtype, T a, T b) {
  combine(op, dtype, reinterpret_cast<std::byte*>(&a), reinterpret_cast<const std::byte*>(&b), 1);
  return a;
}

TEST(Combine, IntegersWrapAndOperatorsMeanWhatTheyAreCalled) {
  EXPECT_EQ((combined<std::int8_t>(Op::sum, Dtype::int8, 127, 1)), -128);
  EXPECT_EQ((combined<std::uint16_t>(Op::prod, Dtype::uint16, 65535, 65535)), 1);
  EXPECT_EQ((combined<std::int64_t>(Op::prod, Dtype::int64, INT64_MIN, -1)), INT64_MIN);
  EXPECT_EQ((combined<std::int8_t>(Op::min, Dtype::int8, -1, 1)), -1);
  EXPECT_EQ((combined<std::uint8_t>(Op::max, Dtype::uint8, 255, 1)), 255);
  EXPECT_EQ((combined<std::int32_t>(Op::band, Dtype::int32, 12, 10)), 8);
  EXPECT_EQ((combined<std::int32_t>(Op::bor, Dtype::int32, 12, 10)), 14);
  EXPECT_EQ((combined<std::int32_t>(Op::bxor, Dtype::int32, 12, 10)), 6);
  EXPECT_EQ((combined<std::int32_t>(Op::land, Dtype::int32, 12, 10)), 1);
  EXPECT_EQ((combined<std::int32_t>(Op::land, Dtype::int32, 12, 0)), 0);
  EXPECT_EQ((combined<std::int32_t>(Op::lor, Dtype::int32, 0, 10)), 1);
  EXPECT_EQ((combined<std::int32_t>(Op::lxor, Dtype::int32, 12, 10)), 0);
  EXPECT_EQ((combined<float>(Op::sum, Dtype::float32, 1.5f, 2.25f)), 3.75f);
  EXPECT_EQ((combined<double>(Op::max, Dtype::float64, -1.0, -2.0)), -1.0);
}

TEST(Combine, SaysWhatItCannotDo) {
  EXPECT_FALSE(can_combine(Op::band, Dtype::float32));
  EXPECT_FALSE(can_combine(Op::minloc, Dtype::int32));
  EXPECT_FALSE(can_combine(Op::max, Dtype::complex64));
  EXPECT_FALSE(can_combine(Op::sum, Dtype::float16));
  EXPECT_TRUE(can_combine(Op::user_matrix, Dtype::aint));
  EXPECT_TRUE(can_combine(Op::lxor, Dtype::uint64));
}

}  // namespace
}  // namespace allprove::reference
