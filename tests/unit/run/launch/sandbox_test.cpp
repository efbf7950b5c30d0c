#include "framework/run/launch/sandbox.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace allprove {
namespace {

// What it answers depends on the machine; that it leaves this process as it was does not.
TEST(Sandbox, TryingItChangesNothingHere) {
  const auto namespace_of = [](const char* kind) {
    return std::filesystem::read_symlink(std::string("/proc/self/ns/") + kind).string();
  };
  const auto before = namespace_of("mnt") + namespace_of("user") + namespace_of("pid_for_children");
  std::string why_not;
  const bool available = sandbox_ns_available(&why_not);
  EXPECT_EQ(available, why_not.empty()) << why_not;
  EXPECT_EQ(namespace_of("mnt") + namespace_of("user") + namespace_of("pid_for_children"), before);
  sandbox_ns_available(nullptr);  // the reason is optional
}

}  // namespace
}  // namespace allprove
