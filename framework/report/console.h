// What a person sees while a command runs: on a terminal one line that is rewritten, in a log a
// line now and then; and, above it, lines that stay.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "framework/base/clock.h"

namespace allprove {

class Console {
 public:
  Console();
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // A line that stays, on stdout.
  void line(std::string_view text);

  // The progress; shown at most five times a second on a terminal, every ten seconds in a log.
  // `make` is called only when it is shown.
  template <class Make>
  void progress(Make&& make) {
    if (due()) show(make());
  }

 private:
  bool due();
  void show(const std::string& text);
  void clear();

  bool terminal_;
  bool shown_ = false;
  TimePoint next_;
};

// "1 case", "2 cases".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace allprove
