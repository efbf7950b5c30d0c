#include "framework/report/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace allprove {
namespace {

constexpr Milliseconds kTerminalInterval(200);
constexpr Milliseconds kLogInterval(10'000);

}  // namespace

Console::Console() : terminal_(isatty(STDOUT_FILENO) == 1), next_(Clock::now()) {
  if (!terminal_) next_ += kLogInterval;
}

Console::~Console() { clear(); }

void Console::line(std::string_view text) {
  clear();
  std::printf("%.*s\n", static_cast<int>(text.size()), text.data());
  std::fflush(stdout);
}

bool Console::due() {
  const auto now = Clock::now();
  if (now < next_) return false;
  next_ = now + (terminal_ ? kTerminalInterval : kLogInterval);
  return true;
}

void Console::show(const std::string& text) {
  if (!terminal_) return line(text);
  std::printf("\r\033[K%s", text.c_str());
  std::fflush(stdout);
  shown_ = true;
}

void Console::clear() {
  if (!shown_) return;
  std::printf("\r\033[K");
  std::fflush(stdout);
  shown_ = false;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace allprove
