// The one list of each value's fields, from which its JSON text (case_json.h) and its bytes on the
// control channel (bytes.h) are both made.
//
// A visitor offers `required(name, field)` and `optional(name, field, fallback)`: an optional field
// that equals its fallback is left out of the text.
#pragma once

#include <concepts>
#include <type_traits>

#include "framework/model/case.h"
#include "framework/model/history.h"
#include "framework/model/layout.h"

namespace allprove {

template <class T, class Value>
concept Maybe_const = std::same_as<std::remove_const_t<T>, Value>;

template <class V, Maybe_const<Data> T>
void fields(V& v, T& data) {
  v.required("family", data.family);
  v.optional("seed", data.seed, std::uint64_t{0});
  v.optional("first", data.first, std::int64_t{0});
  v.optional("rotate", data.rotate, 0);
  v.optional("scale", data.scale, 0);
  v.optional("altered", data.altered, false);
}

template <class V, Maybe_const<Algorithm> T>
void fields(V& v, T& algorithm) {
  v.required("pick", algorithm.pick);
  v.optional("name", algorithm.name, std::string());
}

template <class V, Maybe_const<Layout> T>
void fields(V& v, T& layout) {
  const Layout plain;
  v.required("kind", layout.kind);
  v.optional("items", layout.items, plain.items);
  v.optional("gap", layout.gap, plain.gap);
  v.optional("seed", layout.seed, plain.seed);
  v.optional("ranks", layout.ranks, plain.ranks);
}

template <class V, Maybe_const<Topology> T>
void fields(V& v, T& topology) {
  v.optional("dims", topology.dims, std::vector<int>());
  v.optional("periods", topology.periods, std::vector<int>());
  v.optional("edges", topology.edges, std::vector<std::vector<int>>());
  v.optional("reorder", topology.reorder, false);
}

template <class V, Maybe_const<Group> T>
void fields(V& v, T& group) {
  v.required("kind", group.kind);
  v.optional("parts", group.parts, std::vector<std::vector<int>>());
  v.optional("topology", group.topology, Topology{});
}

template <class V, Maybe_const<Fault> T>
void fields(V& v, T& fault) {
  v.required("kind", fault.kind);
  v.required("rank", fault.rank);
  v.required("operation", fault.operation);
  v.optional("phase", fault.phase, FaultPhase::before);
  v.optional("amount", fault.amount, std::int64_t{0});
}

template <class V, Maybe_const<Operation> T>
void fields(V& v, T& operation) {
  const Operation plain;
  v.required("kind", operation.kind);
  v.optional("collective", operation.collective, plain.collective);
  v.optional("mode", operation.mode, plain.mode);
  v.optional("group", operation.group, plain.group);
  v.optional("dtype", operation.dtype, plain.dtype);
  v.optional("op", operation.op, plain.op);
  v.optional("shape", operation.shape, plain.shape);
  v.optional("counts", operation.counts, plain.counts);
  v.optional("holes", operation.holes, plain.holes);
  v.optional("order", operation.order, plain.order);
  v.optional("send_layout", operation.send_layout, plain.send_layout);
  v.optional("receive_layout", operation.receive_layout, plain.receive_layout);
  v.optional("root", operation.root, plain.root);
  v.optional("in_place", operation.in_place, plain.in_place);
  v.optional("skew", operation.skew, plain.skew);
  v.optional("divide", operation.divide, plain.divide);
  v.optional("cut", operation.cut, plain.cut);
  v.optional("data", operation.data, plain.data);
  v.optional("algorithm", operation.algorithm, plain.algorithm);
  v.optional("request", operation.request, plain.request);
  v.optional("delay_us", operation.delay_us, plain.delay_us);
  v.optional("thread", operation.thread, plain.thread);
  v.optional("stream", operation.stream, plain.stream);
}

template <class V, Maybe_const<Case> T>
void fields(V& v, T& test_case) {
  v.required("ranks", test_case.ranks);
  v.optional("logical", test_case.logical, std::vector<int>());
  v.optional("groups", test_case.groups, std::vector<Group>{Group{}});
  v.required("program", test_case.program);
  v.optional("faults", test_case.faults, std::vector<Fault>());
  v.optional("deadline_ms", test_case.deadline_ms, std::int64_t{0});
}

template <class V, Maybe_const<Mismatch> T>
void fields(V& v, T& mismatch) {
  v.required("index", mismatch.index);
  v.required("expected", mismatch.expected);
  v.required("got", mismatch.got);
}

template <class V, Maybe_const<Digests> T>
void fields(V& v, T& digests) {
  v.required("whole", digests.whole);
  v.optional("head", digests.head, std::uint64_t{0});
  v.optional("tail", digests.tail, std::uint64_t{0});
  v.optional("after", digests.after, std::uint64_t{0});
}

template <class V, Maybe_const<Evidence> T>
void fields(V& v, T& evidence) {
  v.required("checked", evidence.checked);
  v.optional("exact", evidence.exact, false);
  v.optional("agreement", evidence.agreement, true);
  v.optional("digests", evidence.digests, Digests{});
  v.optional("wrong", evidence.wrong, std::int64_t{0});
  v.optional("symptom", evidence.symptom, Symptom::none);
  v.optional("suspect", evidence.suspect, -1);
  v.optional("input_changed", evidence.input_changed, std::int64_t{0});
  v.optional("guard_changed", evidence.guard_changed, std::int64_t{0});
  v.optional("guard_place", evidence.guard_place, std::string());
  v.optional("first_wrong", evidence.first_wrong, std::optional<Mismatch>());
  v.optional("first_input_changed", evidence.first_input_changed, std::optional<Mismatch>());
  v.optional("output", evidence.output, std::vector<std::string>());
}

template <class V, Maybe_const<OperationRecord> T>
void fields(V& v, T& record) {
  v.required("called_ns", record.called_ns);
  v.required("returned_ns", record.returned_ns);
  v.required("completed_ns", record.completed_ns);
  v.optional("code", record.code, 0);
  v.optional("message", record.message, std::string());
  v.required("evidence", record.evidence);
}

template <class V, Maybe_const<Position> T>
void fields(V& v, T& position) {
  v.required("alive", position.alive);
  v.optional("stopped", position.stopped, false);
  v.required("phase", position.phase);
  v.required("operation", position.operation);
  v.optional("group", position.group, -1);
  v.optional("call_number", position.call_number, 0);
  v.optional("entered", position.entered, std::vector<int>());
}

template <class V, Maybe_const<RankRecord> T>
void fields(V& v, T& rank) {
  v.required("operations", rank.operations);
  v.required("position", rank.position);
  v.optional("wait_status", rank.wait_status, std::optional<int>());
  v.optional("last_output", rank.last_output, std::string());
}

// A value that has a list of fields.
struct AnyVisitor {
  template <class T>
  void required(const char*, T&) {}
  template <class T, class D>
  void optional(const char*, T&, const D&) {}
};
template <class T>
concept HasFields = requires(AnyVisitor v, T& value) {
  fields(v, value);
};

}  // namespace allprove
