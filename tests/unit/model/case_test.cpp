// Cases as values: what makes no sense is refused and named, and what a person reads of a case.
#include "framework/model/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "framework/model/wording.h"
#include "tests/unit/model/random_values.h"

namespace allprove {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Case plain_case() {
  Case test_case;
  test_case.ranks = 3;
  test_case.program.emplace_back().shape = {8};
  return test_case;
}

std::string error_of(const Case& test_case) {
  const auto status = validate(test_case);
  return status ? "" : status.error().message;
}

TEST(Validate, AcceptsEveryValidCase) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    ASSERT_EQ(error_of(valid_case(seed)), "") << seed;
  }
}

TEST(Validate, RefusesEachKindOfNonsense) {
  struct Row {
    const char* error;
    std::function<void(Case&)> change;
  };
  const auto operation = [](auto change) {
    return [change](Case& test_case) { change(test_case.program[0]); };
  };
  const auto user_operation = [](auto change) {
    return [change](Case& test_case) {
      test_case.program[0].op = Op::user_matrix;
      change(test_case.program[0]);
    };
  };
  const auto group = [](GroupKind kind, std::vector<std::vector<int>> parts) {
    return [=](Case& test_case) { test_case.groups.push_back(Group{kind, parts}); };
  };
  const auto topology = [](GroupKind kind, Topology given) {
    return [=](Case& test_case) { test_case.groups.push_back(Group{kind, {}, given}); };
  };
  const auto cartesian = GroupKind::cartesian;
  const auto start = [](Operation& o) {
    o.kind = OperationKind::start;
    o.mode = Mode::nonblocking;
    o.request = 1;
  };
  const std::vector<Row> rows = {
      {"ranks: not in 1 to", [](Case& c) { c.ranks = 0; }},
      {"ranks: not in 1 to", [](Case& c) { c.ranks = -1; }},
      {"ranks: not in 1 to", [](Case& c) { c.ranks = kRanksMax + 1; }},
      {"logical:",
       [](Case& c) {
         c.logical = {0, 1};
       }},
      {"logical:",
       [](Case& c) {
         c.logical = {0, 1, 1};
       }},
      {"logical:",
       [](Case& c) {
         c.logical = {0, 1, -1};
       }},
      {"logical:",
       [](Case& c) {
         c.logical = {0, 1, kRanksMax + 1};
       }},
      {"groups:", [](Case& c) { c.groups.clear(); }},
      {"groups:", [](Case& c) { c.groups.resize(65); }},
      {"groups[0]: the first group is the world",
       [](Case& c) { c.groups[0].kind = GroupKind::duplicate; }},
      {"groups[0].parts:",
       [](Case& c) {
         c.groups[0].parts = {{0, 1, 2}};
       }},
      {"groups[1].parts:", group(GroupKind::duplicate, {{0, 1, 2}})},
      {"groups[1].parts:", group(GroupKind::split, {})},
      {"groups[1].parts: a part without ranks", group(GroupKind::split, {{0}, {}})},
      {"groups[1]: no such rank", group(GroupKind::split, {{0, 3}})},
      {"groups[1]: no such rank", group(GroupKind::split, {{-1}})},
      {"groups[1]: a rank stands in it twice", group(GroupKind::split, {{0, 0}})},
      {"groups[1]: a rank stands in it twice", group(GroupKind::split, {{0, 1}, {1}})},
      {"groups[1].parts:", group(cartesian, {{0}, {1}})},
      {"groups[1].parts:", group(GroupKind::inter, {{0, 1, 2}})},
      {"groups[1].parts:", group(GroupKind::inter, {{0}, {1}, {2}})},
      {"groups[1].topology: not for", topology(GroupKind::duplicate, {{3}, {0}, {}})},
      {"groups[1].topology.dims: not 1 to", topology(cartesian, {})},
      {"groups[1].topology.dims: their product", topology(cartesian, {{2}, {0}, {}})},
      {"groups[1].topology.dims: their product", topology(cartesian, {{-1, -3}, {0, 0}, {}})},
      {"groups[1].topology.dims: their product", topology(cartesian, {{1 << 16, 1 << 16}, {}, {}})},
      {"groups[1].topology.dims: their product",
       [](Case& c) { c.groups.push_back(Group{GroupKind::cartesian, {{2, 0}}, {{3}, {0}, {}}}); }},
      {"groups[1].topology.periods:", topology(cartesian, {{3}, {}, {}})},
      {"groups[1].topology.periods:", topology(cartesian, {{3}, {2}, {}})},
      {"groups[1].topology.edges: for graphs", topology(cartesian, {{3}, {0}, {{}, {}, {}}})},
      {"groups[1].topology: dims", topology(GroupKind::graph, {{3}, {0}, {{}, {}, {}}})},
      {"groups[1].topology.edges: one list", topology(GroupKind::graph, {{}, {}, {{}, {}}})},
      {"groups[1].topology.edges: no such", topology(GroupKind::graph, {{}, {}, {{3}, {}, {}}})},
      {"groups[1].topology.edges: no such", topology(GroupKind::graph, {{}, {}, {{-1}, {}, {}}})},
      {"program: too long", [](Case& c) { c.program.resize(kOperationsMax + 1); }},
      {"program[0].group:", operation([](Operation& o) { o.group = 1; })},
      {"program[0].group:", operation([](Operation& o) { o.group = -1; })},
      {"program[0].shape:", operation([](Operation& o) { o.shape = {1, 1, 1, 1, 1, 1}; })},
      {"program[0].shape: a negative", operation([](Operation& o) { o.shape = {-1}; })},
      {"program[0].shape: a negative", operation([](Operation& o) {
         o.shape = {-2, -2};
       })},
      {"program[0].shape: too many", operation([](Operation& o) { o.shape = {kElementsMax + 1}; })},
      {"program[0].shape: too many", operation([](Operation& o) {
         o.shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
       })},
      {"program[0].root:", operation([](Operation& o) { o.root = -1; })},
      {"program[0].skew:", operation([](Operation& o) { o.skew = 64; })},
      {"program[0].skew:", operation([](Operation& o) { o.skew = -1; })},
      {"program[0].cut:", operation([](Operation& o) { o.cut = 8; })},
      {"program[0].cut:", operation([](Operation& o) { o.cut = -2; })},
      {"program[0].data:", operation([](Operation& o) { o.data.first = -1; })},
      {"program[0].data:", operation([](Operation& o) { o.data.rotate = -1; })},
      {"program[0].data:", operation([](Operation& o) { o.data.scale = -1; })},
      {"program[0].data:", operation([](Operation& o) { o.data.scale = 31; })},
      {"program[0].delay_us:", operation([](Operation& o) { o.delay_us = -1; })},
      {"program[0].delay_us:", operation([](Operation& o) { o.delay_us = 60'000'001; })},
      {"program[0]: band is not defined on float32", operation([](Operation& o) {
         o.dtype = Dtype::float32;
         o.op = Op::band;
       })},
      {"program[0].divide:", operation([](Operation& o) {
         o.dtype = Dtype::float_int;
         o.op = Op::minloc;
         o.divide = true;
       })},
      {"program[0].divide:", user_operation([](Operation& o) { o.divide = true; })},
      {"program[0]: elements of user_matrix come in multiples of 4",
       user_operation([](Operation& o) { o.shape = {6}; })},
      {"program[0]: elements of user_matrix", user_operation([](Operation& o) {
         o.send_layout = {LayoutKind::vector, 2};
       })},
      {"program[0]: no cut", user_operation([](Operation& o) { o.cut = 0; })},
      {"program[0]: no cut", user_operation([](Operation& o) { o.data.altered = true; })},
      {"program[0]: no cut", user_operation([](Operation& o) { o.data.scale = 1; })},
      {"program[0]: a reduction has one layout",
       user_operation([](Operation& o) { o.send_layout.kind = LayoutKind::vector; })},
      {"program[0]: a reduction has one layout", user_operation([](Operation& o) {
         o.send_layout = {.kind = LayoutKind::vector, .ranks = 1};
         o.receive_layout = o.send_layout;
       })},
      {"program[0].in_place:", operation([](Operation& o) {
         o.collective = Collective::broadcast;
         o.in_place = true;
       })},
      {"program[0]: a start needs", operation([start](Operation& o) {
         start(o);
         o.mode = Mode::blocking;
       })},
      {"program[0]: a start needs", operation([start](Operation& o) {
         start(o);
         o.request = -1;
       })},
      {"program: a request that is started is never completed", operation(start)},
      {"program[1].request: already under way",
       [start](Case& c) {
         start(c.program[0]);
         c.program.push_back(c.program[0]);
       }},
      {"program[0].request: nothing", operation([](Operation& o) {
         o.kind = OperationKind::wait;
         o.request = 1;
       })},
      {"faults[0]: no such rank", [](Case& c) { c.faults.emplace_back().rank = 3; }},
      {"faults[0]: no such rank", [](Case& c) { c.faults.emplace_back().rank = -1; }},
      {"faults[1]: no such rank",
       [](Case& c) {
         c.faults.resize(2);
         c.faults[1].operation = 1;
       }},
      {"deadline_ms: not in 0 to 24 hours", [](Case& c) { c.deadline_ms = -1; }},
      {"deadline_ms: not in 0 to 24 hours", [](Case& c) { c.deadline_ms = kDeadlineMaxMs + 1; }},
      {"program[0].data: first (up to 2^60)",
       [](Case& c) { c.program[0].data.first = kFirstMax + 1; }},
  };
  ASSERT_EQ(error_of(plain_case()), "");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto test_case = plain_case();
    rows[i].change(test_case);
    EXPECT_THAT(error_of(test_case), testing::StartsWith(rows[i].error)) << "row " << i;
  }
}

// The label of a persistent request stands for that request all along.
TEST(Validate, APersistentRequestIsStartedAgainWithOtherDataOnly) {
  Case test_case = plain_case();
  auto& start = test_case.program[0];
  start.kind = OperationKind::start;
  start.mode = Mode::persistent;
  start.request = 1;
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.request = 1;
  Operation again = start;
  again.data.seed = 7;
  const auto with = [&](const std::function<void(Operation&)>& change) {
    Operation changed = again;
    change(changed);
    Case restarted = test_case;
    restarted.program.insert(restarted.program.end(), {wait, changed, wait});
    return error_of(restarted);
  };
  EXPECT_EQ(with([](Operation&) {}), "");
  EXPECT_THAT(with([](Operation& o) { o.shape = {9}; }), HasSubstr("with other data only"));
  EXPECT_THAT(with([](Operation& o) { o.mode = Mode::nonblocking; }),
              HasSubstr("with other data only"));
}

TEST(Validate, EachThreadHasCommunicatorsAndRequestsOfItsOwn) {
  Case test_case = plain_case();
  test_case.groups = {Group{}, {GroupKind::duplicate, {}}};
  auto& call = test_case.program.at(0);
  const auto with = [&](const std::function<void(Operation&)>& change) {
    Case changed = test_case;
    change(changed.program.emplace_back(call));
    return error_of(changed);
  };
  call.thread = 1;
  EXPECT_THAT(error_of(test_case), HasSubstr("group 0 is thread 0's"));
  call.group = 1;
  EXPECT_EQ(error_of(test_case), "");
  EXPECT_EQ(with([](Operation& o) { o.group = o.thread = 0; }), "");
  EXPECT_THAT(with([](Operation& o) { o.thread = 2; }), HasSubstr("group 1 is thread 1's"));
  EXPECT_THAT(with([](Operation& o) { o.thread = kThreadsMax; }), HasSubstr("not in 0 to 3"));
  EXPECT_THAT(with([](Operation& o) { o.thread = -1; }), HasSubstr("not in 0 to 3"));
  EXPECT_THAT(with([](Operation& o) { o.kind = OperationKind::comm_create; }),
              HasSubstr("made by thread 0"));
  EXPECT_THAT(with([](Operation& o) { o.kind = OperationKind::wait_all; }),
              HasSubstr("a program of one thread"));
  call.kind = OperationKind::start;
  call.mode = Mode::nonblocking;
  call.request = 1;
  const auto wait_in = [&](int thread) {
    return with([=](Operation& o) {
      o.kind = OperationKind::wait;
      o.thread = thread;
    });
  };
  EXPECT_EQ(wait_in(1), "");
  EXPECT_THAT(wait_in(0), HasSubstr("the request is another thread's"));
}

// Whatever a case holds, it is refused or it is safe to ask of.
TEST(Validate, NeverCrashesOnNoise) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const auto noise = Noise(seed).value<Case>();
    const auto status = validate(noise);
    if (!status) {
      ASSERT_FALSE(status.error().message.empty());
      continue;
    }
    static_cast<void>(describe(noise));
  }
}

TEST(CountOf, IsTheProductOfTheShape) {
  Operation operation;
  EXPECT_EQ(count_of(operation), 1);
  operation.shape = {2, 3, 4};
  EXPECT_EQ(count_of(operation), 24);
  operation.shape = {5, 0};
  EXPECT_EQ(count_of(operation), 0);
  operation.shape = {std::numeric_limits<std::int64_t>::max(), 3};
  EXPECT_GT(count_of(operation), kElementsMax);
}

TEST(Membership, IsTheWholeWorldWhereNoPartsAreGiven) {
  const auto membership = membership_of(plain_case(), 0, 2);
  EXPECT_EQ(membership.part, 0);
  EXPECT_EQ(membership.position, 2);
  EXPECT_THAT(membership.members, ElementsAre(0, 1, 2));
}

TEST(Membership, FollowsTheOrderOfThePart) {
  auto test_case = plain_case();
  test_case.groups.push_back(Group{GroupKind::split, {{2}, {1, 0}}});
  const auto membership = membership_of(test_case, 1, 0);
  EXPECT_EQ(membership.part, 1);
  EXPECT_EQ(membership.position, 1);
  EXPECT_THAT(membership.members, ElementsAre(1, 0));
  test_case.groups[1].parts = {{2}};
  EXPECT_EQ(membership_of(test_case, 1, 0).part, -1);
  EXPECT_TRUE(membership_of(test_case, 1, 0).members.empty());
}

TEST(Logical, IsTheRankUnlessGiven) {
  auto test_case = plain_case();
  EXPECT_EQ(logical_of(test_case, 2), 2);
  test_case.logical = {4, 0, 7};
  EXPECT_EQ(logical_of(test_case, 2), 7);
}

TEST(Describe, NamesTheCallAndWhatDiffersFromThePlainOne) {
  auto test_case = plain_case();
  EXPECT_EQ(describe(test_case), "3 ranks: all_reduce(int32[8], sum)");
  auto& operation = test_case.program[0];
  operation.dtype = Dtype::float32;
  operation.shape = {2, 3};
  operation.op = Op::max;
  EXPECT_EQ(describe(test_case, operation), "all_reduce(float32[2,3], max)");
  test_case.groups.push_back(Group{GroupKind::duplicate, {}});
  operation.group = 1;
  operation.in_place = true;
  operation.divide = true;
  operation.mode = Mode::nonblocking;
  operation.algorithm = {2, "ring"};
  EXPECT_EQ(describe(test_case, operation),
            "nonblocking all_reduce(float32[2,3], max) in place divided by the group's size on "
            "group 1 (duplicate) by ring");
}

TEST(Describe, NamesEveryKindOfOperation) {
  const auto test_case = plain_case();
  Operation operation;
  operation.collective = Collective::barrier;
  EXPECT_EQ(describe(test_case, operation), "barrier");
  operation.collective = Collective::broadcast;
  operation.shape = {4};
  operation.root = 2;
  EXPECT_EQ(describe(test_case, operation), "broadcast(int32[4], root 2)");
  operation.kind = OperationKind::start;
  operation.mode = Mode::nonblocking;
  operation.request = 7;
  EXPECT_EQ(describe(test_case, operation), "start broadcast(int32[4], root 2) as request 7");
  operation.kind = OperationKind::wait;
  EXPECT_EQ(describe(test_case, operation), "wait(request 7)");
  operation.kind = OperationKind::test;
  EXPECT_EQ(describe(test_case, operation), "test(request 7)");
  operation.kind = OperationKind::delay;
  operation.delay_us = 250;
  EXPECT_EQ(describe(test_case, operation), "delay(250 us)");
  operation.kind = OperationKind::comm_free;
  EXPECT_EQ(describe(test_case, operation), "comm_free(group 0)");
}

TEST(Describe, KeepsLongProgramsToOneLine) {
  auto test_case = plain_case();
  test_case.program.resize(9, test_case.program[0]);
  test_case.ranks = 1;
  const auto text = describe(test_case);
  EXPECT_THAT(text, testing::StartsWith("1 rank: "));
  EXPECT_THAT(text, testing::EndsWith("; and 5 more"));
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(Wording, ListsRanksAndStopsInTime) {
  const std::vector<int> one = {2};
  const std::vector<int> three = {0, 2, 5};
  std::vector<int> many(40, 7);
  EXPECT_EQ(ranks_text(one), "rank 2");
  EXPECT_EQ(ranks_text(three), "ranks 0, 2, 5");
  EXPECT_THAT(ranks_text(many), testing::EndsWith("7 and 28 more"));
  EXPECT_EQ(operation_text(plain_case(), 0), "operation 0 all_reduce(int32[8], sum)");
}

TEST(Traits, SayWhichOperatorsATypeHas) {
  EXPECT_TRUE(is_legal(Op::sum, Dtype::complex64));
  EXPECT_FALSE(is_legal(Op::max, Dtype::complex64));
  EXPECT_TRUE(is_legal(Op::land, Dtype::int8));
  EXPECT_FALSE(is_legal(Op::land, Dtype::float64));
  EXPECT_TRUE(is_legal(Op::bxor, Dtype::byte));
  EXPECT_FALSE(is_legal(Op::sum, Dtype::byte));
  EXPECT_TRUE(is_legal(Op::prod, Dtype::aint));
  EXPECT_TRUE(is_legal(Op::bor, Dtype::count));
  EXPECT_FALSE(is_legal(Op::land, Dtype::offset));
  EXPECT_TRUE(is_legal(Op::lxor, Dtype::boolean));
  EXPECT_TRUE(is_legal(Op::user_matrix, Dtype::aint));
  EXPECT_FALSE(is_legal(Op::user_sum, Dtype::float32));
  EXPECT_FALSE(is_legal(Op::sum, Dtype::boolean));
  EXPECT_TRUE(is_legal(Op::minloc, Dtype::float_int));
  EXPECT_FALSE(is_legal(Op::minloc, Dtype::float32));
}

TEST(Traits, HaveTheSizesOfThePlainTypes) {
  for (std::size_t i = 0; i < names_of<Dtype>().size(); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    EXPECT_GT(size_of(dtype), 0u);
    if (!traits_of(dtype).plain) {
      EXPECT_THROW(for_dtype(dtype, []<class T>() {}), InternalError);
      continue;
    }
    for_dtype(dtype, [dtype]<class T>() {
      const bool is_byte = dtype == Dtype::byte;
      EXPECT_EQ(sizeof(T), size_of(dtype)) << name_of(dtype);
      EXPECT_EQ(std::is_floating_point_v<T>, is_floating(dtype)) << name_of(dtype);
      EXPECT_EQ(std::is_integral_v<T>, is_integer(dtype) || is_byte) << name_of(dtype);
      EXPECT_EQ(std::is_unsigned_v<T>,
                traits_of(dtype).kind == DtypeClass::unsigned_integer || is_byte);
    });
  }
}

TEST(Outcomes, MergeByTheWorst) {
  EXPECT_EQ(worse(Outcome::ok, Outcome::error), Outcome::error);
  EXPECT_EQ(worse(Outcome::hang, Outcome::crash), Outcome::hang);
  EXPECT_EQ(worse(Outcome::wrong, Outcome::hang), Outcome::wrong);
  EXPECT_EQ(merge(Verdict::pass, Verdict::unknown), Verdict::unknown);
  EXPECT_EQ(merge(Verdict::fail, Verdict::unknown), Verdict::fail);
  EXPECT_EQ(merge(Verdict::skip, Verdict::pass), Verdict::pass);
}

}  // namespace
}  // namespace allprove
