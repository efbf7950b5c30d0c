// CHECK: for what can only be our own bug. Always on. It throws InternalError, which the program's
// outermost layer turns into verdict `unknown` and exit code 2; it never becomes a pass.
#pragma once

#include <stdexcept>
#include <string>

namespace allprove {

class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  throw InternalError(std::string("internal error: CHECK(") + condition + ") failed at " + file +
                      ":" + std::to_string(line));
}

}  // namespace allprove

#define ALLPROVE_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::allprove::check_failed(#condition, __FILE__, __LINE__))
