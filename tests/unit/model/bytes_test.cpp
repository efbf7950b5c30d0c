// Values as bytes: they come back as they were, and bytes that were cut or changed on the way are
// refused, or read as some value, within bounds of time and memory.
#include "framework/model/bytes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/unit/model/random_values.h"

namespace {

// The largest single allocation since it was set to 0.
std::atomic<std::size_t> largest_allocation = 0;

void* counted(std::size_t size) {
  if (size > largest_allocation) largest_allocation = size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace allprove {
namespace {

template <class T>
void expect_round_trips(int runs) {
  for (int run = 0; run < runs; ++run) {
    Noise noise(static_cast<std::uint64_t>(run));
    const auto value = noise.value<T>();
    const auto bytes = to_bytes(value);
    const auto back = from_bytes<T>(bytes);
    ASSERT_TRUE(back) << run;
    ASSERT_EQ(*back, value) << run;
    ASSERT_EQ(to_bytes(*back), bytes) << run;
  }
}

TEST(Bytes, RoundTripEveryValueOfTheVocabulary) {
  expect_round_trips<Data>(2000);
  expect_round_trips<Group>(2000);
  expect_round_trips<Fault>(2000);
  expect_round_trips<Operation>(2000);
  expect_round_trips<Case>(2000);
  expect_round_trips<Position>(2000);
  expect_round_trips<Evidence>(2000);
  expect_round_trips<OperationRecord>(2000);
  expect_round_trips<RankRecord>(2000);
}

template <NamedEnum E>
void expect_every_enumerator() {
  for (std::size_t i = 0; i < names_of<E>().size(); ++i) {
    const auto value = static_cast<E>(i);
    EXPECT_EQ(from_bytes<E>(to_bytes(value)).value(), value);
    EXPECT_EQ(from_name<E>(name_of(value)), value);
  }
  EXPECT_FALSE(from_bytes<E>(to_bytes(static_cast<E>(names_of<E>().size()))));
  EXPECT_FALSE(from_bytes<E>(to_bytes(static_cast<E>(-1))));
}

TEST(Bytes, RoundTripEveryEnumeratorAndRefuseTheNext) {
  expect_every_enumerator<Collective>();
  expect_every_enumerator<Mode>();
  expect_every_enumerator<OperationKind>();
  expect_every_enumerator<Dtype>();
  expect_every_enumerator<Op>();
  expect_every_enumerator<Family>();
  expect_every_enumerator<GroupKind>();
  expect_every_enumerator<FaultKind>();
  expect_every_enumerator<FaultPhase>();
  expect_every_enumerator<Phase>();
  expect_every_enumerator<Symptom>();
  expect_every_enumerator<Proof>();
  expect_every_enumerator<Outcome>();
  expect_every_enumerator<Verdict>();
}

TEST(Bytes, AreRefusedWhenCutAnywhere) {
  for (int run = 0; run < 200; ++run) {
    const auto bytes = to_bytes(valid_case(static_cast<std::uint64_t>(run)));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ASSERT_FALSE(from_bytes<Case>(std::span(bytes).first(size))) << run << " cut at " << size;
    }
  }
}

TEST(Bytes, AreRefusedWhenMoreFollow) {
  auto bytes = to_bytes(valid_case(1));
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(from_bytes<Case>(bytes));
}

// Bytes that claim long lists must not get the memory for them: a list's elements take at most
// some hundreds of bytes for each byte that is there.
constexpr std::size_t kMemoryPerByte = 600;

TEST(Bytes, ThatAreGarbageNeverCrashNorTakeMuchMemory) {
  RandomStream random(7);
  for (int run = 0; run < 20'000; ++run) {
    std::vector<std::byte> bytes(random.below(200));
    for (auto& byte : bytes) {
      byte = random.chance(1, 2) ? std::byte{0xff} : static_cast<std::byte>(random.below(256));
    }
    largest_allocation = 0;
    static_cast<void>(from_bytes<Case>(bytes));
    static_cast<void>(from_bytes<RankRecord>(bytes));
    static_cast<void>(from_bytes<std::vector<std::vector<OperationRecord>>>(bytes));
    ASSERT_LE(largest_allocation, 1000 + bytes.size() * kMemoryPerByte) << run;
  }
}

TEST(Bytes, ThatWereChangedNeverCrashNorTakeMuchMemory) {
  RandomStream random(8);
  for (int run = 0; run < 20'000; ++run) {
    auto bytes = to_bytes(valid_case(static_cast<std::uint64_t>(run % 100)));
    for (auto left = random.between(1, 4); left > 0; --left) {
      bytes[random.below(bytes.size())] = static_cast<std::byte>(random.below(256));
    }
    largest_allocation = 0;
    const auto read = from_bytes<Case>(bytes);
    ASSERT_LE(largest_allocation, 1000 + bytes.size() * kMemoryPerByte) << run;
    // What is read is a value like any other.
    if (read) {
      ASSERT_TRUE(from_bytes<Case>(to_bytes(*read)));
      static_cast<void>(validate(*read));
    }
  }
}

TEST(Bytes, ThatClaimAHugeListAreRefusedAtOnce) {
  const std::vector<std::byte> claim(4, std::byte{0xff});
  largest_allocation = 0;
  EXPECT_FALSE(from_bytes<std::vector<Operation>>(claim));
  EXPECT_FALSE(from_bytes<std::string>(claim));
  EXPECT_LE(largest_allocation, 1000u);
}

TEST(Bytes, KeepNoNewsBrief) {
  // An all-reduce of the plainest kind, as it travels thousands of times a second.
  EXPECT_LE(to_bytes(Operation{}).size(), 40u);
}

}  // namespace
}  // namespace allprove
