// Errors as values: what failed, and what the user can do about it.
// Exceptions stop at the border of the library that throws them.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace allprove {

// Whose fault an error is; decides the exit code of the program.
enum class ErrorKind {
  internal,     // our own failure: exit 2, verdict `unknown`
  usage,        // bad input from the user: exit 64
  unavailable,  // nothing to check with (a backend is absent): exit 77
  interrupted,  // the user asked to stop
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;  // one line: what failed, on what
  std::string hint;     // one line: what to do about it; may be empty
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{kind, std::move(message), std::move(hint)});
}
inline tl::unexpected<Error> internal_error(std::string message, std::string hint = {}) {
  return fail(ErrorKind::internal, std::move(message), std::move(hint));
}
inline tl::unexpected<Error> usage_error(std::string message, std::string hint = {}) {
  return fail(ErrorKind::usage, std::move(message), std::move(hint));
}

// The message and the hint as one line, for a console or a log.
inline std::string to_line(const Error& error) {
  return error.hint.empty() ? error.message : error.message + " (" + error.hint + ")";
}

}  // namespace allprove
