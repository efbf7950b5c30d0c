// What a wrong output looks like, found by trying what libraries are known to do wrong.
#pragma once

#include "framework/model/history.h"
#include "framework/oracle/expect.h"

namespace allprove::oracle {

// A wrong element of an output.
template <class T>
struct WrongElement {
  std::int64_t index = 0;
  T got{};
};

// Whose output it is.
struct Holder {
  std::optional<Source> input;  // what the holder itself gave, if anything
  std::byte before{};           // with which its output was filled before the call
};

struct Diagnosis {
  Symptom symptom = Symptom::value;
  int suspect = -1;  // index of the one source that is missing or doubled, where only one fits
};

// Takes time in proportion to the square of the number of sources, up to some milliseconds.
template <class T>
Diagnosis diagnose(const Question& question, std::span<const WrongElement<T>> wrong,
                   const Holder& holder, Expecter<T>& expecter);

}  // namespace allprove::oracle
