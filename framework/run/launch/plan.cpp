#include "framework/run/launch/plan.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace allprove {
namespace {

constexpr std::size_t kReportTextMax = 1024;

struct ReportHead {
  ReportKind kind;
  std::int32_t rank;
  std::int32_t value;
};

// Fields end with a NUL: no argument and no variable can hold one.
class Writer {
 public:
  void field(const std::string& value) {
    text_ += value;
    text_ += '\0';
  }
  void field(int value) { field(std::to_string(value)); }
  void field(const std::vector<std::string>& values) {
    field(static_cast<int>(values.size()));
    for (const auto& value : values) field(value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  bool field(std::string& value) {
    const auto end = text_.find('\0', at_);
    if (end == std::string::npos) return false;
    value = text_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }
  bool field(int& value) {
    std::string digits;
    if (!field(digits)) return false;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size();
  }
  template <NamedEnum E>
  bool field(E& value) {
    std::string name;
    if (!field(name)) return false;
    const auto known = from_name<E>(name);
    if (known) value = *known;
    return known.has_value();
  }
  bool field(std::vector<std::string>& values) {
    int count = 0;
    if (!field(count)) return false;
    for (int i = 0; i < count; ++i) {
      if (!field(values.emplace_back())) return false;
    }
    return true;
  }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string encode_plan(const Plan& plan) {
  Writer out;
  out.field(std::string(name_of(plan.protocol)));
  out.field(std::string(name_of(plan.sandbox)));
  out.field(plan.ranks);
  out.field(plan.world);
  out.field(plan.directory);
  out.field(plan.log_directory);
  out.field(plan.command);
  out.field(plan.environment);
  return out.take();
}

Result<Plan> decode_plan(const std::string& text) {
  Plan plan;
  Reader in(text);
  if (!in.field(plan.protocol) || !in.field(plan.sandbox) || !in.field(plan.ranks) ||
      !in.field(plan.world) || !in.field(plan.directory) || !in.field(plan.log_directory) ||
      !in.field(plan.command) || !in.field(plan.environment) || plan.command.empty()) {
    return internal_error("the spawner cannot read its plan",
                          "driver and spawner must be of the same build");
  }
  return plan;
}

bool send_report(int socket, const Report& report) {
  ReportHead head{report.kind, report.rank, report.value};
  std::string text = report.text.substr(0, kReportTextMax);
  iovec parts[] = {{&head, sizeof head}, {text.data(), text.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

std::optional<Report> receive_report(int socket, bool* closed) {
  char packet[sizeof(ReportHead) + kReportTextMax];
  ssize_t size = 0;
  do {
    size = recv(socket, packet, sizeof packet, MSG_DONTWAIT);
  } while (size < 0 && errno == EINTR);
  if (size < static_cast<ssize_t>(sizeof(ReportHead))) {
    *closed = size >= 0 || errno != EAGAIN;
    return std::nullopt;
  }
  ReportHead head;
  std::memcpy(&head, packet, sizeof head);
  return Report{head.kind, head.rank, head.value,
                std::string(packet + sizeof head, static_cast<std::size_t>(size) - sizeof head)};
}

}  // namespace allprove
