// What the driver and a worker say to each other. Both ends are the same build; the first message
// proves it. Messages travel as frames (channel.h): a type, and the bytes of one struct below.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/model/fields.h"

namespace allprove {

// In the environment of the ranks of an MPI: the thread level to ask for, single, funneled (the
// default), serialized or multiple. Programs of several threads need multiple.
inline constexpr const char* kThreadLevelVariable = "ALLPROVE_MPI_THREAD_LEVEL";

inline constexpr std::uint32_t kProtocolVersion = 1;

enum class MessageType : std::uint8_t {
  hello,    // worker: first of all
  welcome,  // driver: accepted; carries the descriptors of the position board and the shared arena
  ready,    // worker: the library is initialised
  batch,    // driver: cases to run
  results,  // worker: one message per batch
  failure,  // worker: it cannot go on, and why; our own failure, not the library's
  stop,     // driver: no more cases
};

// Exit code of a worker that failed by itself, and may have been unable to say so: not one that a
// library would choose.
inline constexpr int kWorkerFailed = 113;

// Names of the environment variables that a worker is started with.
inline constexpr const char* kConnectVariable = "ALLPROVE_CONNECT";  // path of the driver's socket
inline constexpr const char* kTokenVariable = "ALLPROVE_TOKEN";
inline constexpr const char* kSlotVariable = "ALLPROVE_SLOT";  // rank, where the launcher knows it
inline constexpr const char* kSizeVariable = "ALLPROVE_SIZE";  // ranks of the world
inline constexpr const char* kMutantVariable = "ALLPROVE_MUTANT";  // backend `mutant`: which bug

struct Hello {
  std::uint32_t version = kProtocolVersion;
  std::string token;
};

// The algorithms that a library offers for one collective and mode, but for its own choice, which
// is pick 0 and has no name.
struct AlgorithmList {
  Collective collective = Collective::all_reduce;
  Mode mode = Mode::blocking;
  std::vector<std::string> names;

  bool operator==(const AlgorithmList&) const = default;
};

struct Ready {
  int rank = -1;  // as the library sees it
  int size = 0;
  std::string library;  // "Open MPI"
  std::string version;  // "4.1.4"
  std::string thread_level;
  std::vector<AlgorithmList> algorithms;
};

struct Batch {
  std::uint32_t first_number = 0;  // number of the first case; the others follow
  // Only the library's calls: nothing is filled, checked or digested. For measuring what the rest
  // costs (ci/bench); never a verdict.
  bool bare = false;
  bool samples = false;  // evidence carries the first elements of every output
  int repeat = 1;        // runs the list this many times, and reports the last time; for measuring
  std::vector<Case> cases;
};

struct CaseResult {
  std::vector<OperationRecord> operations;  // by index in the program
  // Why this rank did not run the case: its backend cannot, or a call failed before in the batch.
  std::string skipped;
};

struct Results {
  std::uint32_t first_number = 0;
  std::int64_t elapsed_ns = 0;  // of the whole batch on this rank
  std::vector<CaseResult> cases;
};

struct Failure {
  std::string message;
};

template <class V, Maybe_const<Hello> T>
void fields(V& v, T& hello) {
  v.required("version", hello.version);
  v.required("token", hello.token);
}
template <class V, Maybe_const<AlgorithmList> T>
void fields(V& v, T& list) {
  v.required("collective", list.collective);
  v.required("mode", list.mode);
  v.required("names", list.names);
}
template <class V, Maybe_const<Ready> T>
void fields(V& v, T& ready) {
  v.required("rank", ready.rank);
  v.required("size", ready.size);
  v.required("library", ready.library);
  v.required("version", ready.version);
  v.required("thread_level", ready.thread_level);
  v.required("algorithms", ready.algorithms);
}
template <class V, Maybe_const<Batch> T>
void fields(V& v, T& batch) {
  v.required("first_number", batch.first_number);
  v.required("bare", batch.bare);
  v.required("samples", batch.samples);
  v.required("repeat", batch.repeat);
  v.required("cases", batch.cases);
}
template <class V, Maybe_const<CaseResult> T>
void fields(V& v, T& result) {
  v.required("operations", result.operations);
  v.required("skipped", result.skipped);
}
template <class V, Maybe_const<Results> T>
void fields(V& v, T& results) {
  v.required("first_number", results.first_number);
  v.required("elapsed_ns", results.elapsed_ns);
  v.required("cases", results.cases);
}
template <class V, Maybe_const<Failure> T>
void fields(V& v, T& failure) {
  v.required("message", failure.message);
}

}  // namespace allprove
