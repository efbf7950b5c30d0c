// A library that the tests of the executor play themselves, for a world of one rank: what a call
// does is a function, and everything that was asked of it is written down.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "framework/run/worker/backend.h"

namespace allprove {

struct FakeCommunicator final : Communicator {
  explicit FakeCommunicator(std::vector<std::string>& to) : log(to) {}
  ~FakeCommunicator() override { log.push_back("free"); }
  std::vector<std::string>& log;
};

struct FakeRequest final : Request {
  CollectiveArguments arguments;
  int tests_left = 2;
};

class FakeBackend final : public Backend {
 public:
  // What a right library does in a world of one: the result is the input.
  static LibraryStatus copy(const CollectiveArguments& arguments) {
    if (arguments.send.data != nullptr) {
      std::memcpy(arguments.receive.data, arguments.send.data,
                  static_cast<std::size_t>(arguments.receive.count) * size_of(arguments.dtype));
    }
    return {};
  }

  std::function<LibraryStatus(const CollectiveArguments&)> behaviour = copy;
  std::function<void(const CollectiveArguments&)> initialising = [](const auto&) {};
  std::function<LibraryStatus(int group)> opening = [](int) { return LibraryStatus{}; };
  std::vector<int> members;  // what communicators say of themselves
  std::optional<std::string> why_not;
  std::vector<std::string> log;              // "open 1", "free", "call", "wait_all of 2", ...
  std::vector<CollectiveArguments> calls;    // and starts
  std::vector<Communicator*> communicators;  // as they were opened

  Result<Ready> start(WorldPlace) override { return Ready{}; }
  std::optional<std::string> unsupported(const Case&, const Operation&) const override {
    return why_not;
  }
  std::string communicator_scope(const Operation& operation) const override {
    return operation.algorithm.name;
  }
  LibraryStatus open(const Case&, int group, const Operation&,
                     std::unique_ptr<Communicator>& made) override {
    log.push_back("open " + std::to_string(group));
    const auto status = opening(group);
    if (status.code == 0) {
      made = std::make_unique<FakeCommunicator>(log);
      made->members = members;
      communicators.push_back(made.get());
    }
    return status;
  }
  LibraryStatus call(const CollectiveArguments& arguments, const std::string&) override {
    {
      const std::lock_guard lock(mutex_);  // blocking calls may come from several threads
      log.push_back("call");
      calls.push_back(arguments);
    }
    return behaviour(arguments);
  }
  LibraryStatus start(const CollectiveArguments& arguments, const std::string&,
                      std::unique_ptr<Request>& request) override {
    log.push_back("start");
    calls.push_back(arguments);
    request = request_of(arguments);
    return {};
  }
  LibraryStatus init(const CollectiveArguments& arguments, const std::string&,
                     std::unique_ptr<Request>& request) override {
    log.push_back("init");
    initialising(arguments);
    request = request_of(arguments);
    return {};
  }
  LibraryStatus start_request(Request& request) override {
    log.push_back("start_request");
    calls.push_back(static_cast<FakeRequest&>(request).arguments);
    return {};
  }
  LibraryStatus wait(Request& request) override {
    log.push_back("wait");
    return behaviour(static_cast<FakeRequest&>(request).arguments);
  }
  LibraryStatus test(Request& request, bool& done) override {
    log.push_back("test");
    auto& fake = static_cast<FakeRequest&>(request);
    done = --fake.tests_left == 0;
    return done ? behaviour(fake.arguments) : LibraryStatus{};
  }
  LibraryStatus wait_all(std::span<Request* const> requests, bool some) override {
    log.push_back((some ? "wait_some of " : "wait_all of ") + std::to_string(requests.size()));
    LibraryStatus status;
    for (auto* request : requests) {
      if (status.code == 0) status = behaviour(static_cast<FakeRequest*>(request)->arguments);
    }
    return status;
  }
  void finish() override {}

 private:
  std::mutex mutex_;

  static std::unique_ptr<FakeRequest> request_of(const CollectiveArguments& arguments) {
    auto made = std::make_unique<FakeRequest>();
    made->arguments = arguments;
    return made;
  }
};

}  // namespace allprove
