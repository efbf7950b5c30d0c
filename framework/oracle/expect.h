// From a question to what the output may be: by the closed form where there is one, else by the
// generic reference.
#pragma once

#include "framework/oracle/expectation.h"
#include "framework/oracle/meaning.h"
#include "framework/oracle/reference.h"

namespace allprove::oracle {

template <class T>
class Expecter {
 public:
  // Elements [0, count), count <= kTilePeriod, as if none was altered.
  void expect_tile(const Question& question, std::int64_t count, Expectation<T>& to);
  // One element of the operation, altered where a source says so.
  void expect_element(const Question& question, std::int64_t element, Expectation<T>& to);
  // The same by the generic reference: also where a source is missing or stands there twice.
  void expect_element_of_any(const Question& question, std::int64_t element, Expectation<T>& to);

  Workspace& workspace() { return workspace_; }

 private:
  void closed_form(const Question& question, std::int64_t family_element, std::int64_t count,
                   Expectation<T>& to);

  Workspace workspace_;
  Reference<T> reference_;
  std::vector<int> ids_;
};

// The period over which an operation's inputs and results repeat, given its count.
constexpr std::int64_t tile_count(std::int64_t count) {
  return count < kTilePeriod ? count : kTilePeriod;
}

// Repeats a tile of one period so often that copying and comparing go by the cache's size rather
// than by the period: buffers of more elements than the tile are then whole repetitions of it.
template <class T>
void lengthen(std::vector<T>& tile, std::int64_t count) {
  constexpr std::size_t kBytes = 16384;
  const std::size_t period = tile.size();
  if (static_cast<std::size_t>(count) <= period) return;
  const std::size_t copies = std::max<std::size_t>(1, kBytes / (period * sizeof(T)));
  tile.resize(period * copies);
  for (std::size_t i = 1; i < copies; ++i) {
    std::copy_n(tile.begin(), period, tile.begin() + static_cast<std::ptrdiff_t>(i * period));
  }
}

}  // namespace allprove::oracle
