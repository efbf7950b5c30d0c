// Monotonic time. Deadlines are points in time, so that a wait made of several steps has one bound.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace allprove {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC: the same for all processes of a host
using TimePoint = Clock::time_point;
using Milliseconds = std::chrono::milliseconds;

inline std::int64_t now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

class Deadline {
 public:
  explicit Deadline(TimePoint at) : at_(at) {}
  static Deadline after(Milliseconds duration) { return Deadline(Clock::now() + duration); }

  bool passed() const { return Clock::now() >= at_; }
  TimePoint at() const { return at_; }
  // Milliseconds left, rounded up, for poll(); 0 once passed.
  int left_ms() const {
    const auto left = std::chrono::ceil<Milliseconds>(at_ - Clock::now()).count();
    constexpr std::int64_t kMax = std::numeric_limits<int>::max();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, kMax));
  }

 private:
  TimePoint at_;
};

}  // namespace allprove
