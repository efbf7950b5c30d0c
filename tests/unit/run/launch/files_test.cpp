#include "framework/run/launch/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>

#include "framework/base/unique_fd.h"
#include "framework/run/launch/random_id.h"

namespace allprove {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

// A file where MPICH makes its own; removed at the end.
class StrayFiles : public testing::Test {
 protected:
  StrayFiles() : path_("/dev/shm/mpich_shar_tmp" + random_id()), before_(file_time_now()) {
    file_.reset(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    EXPECT_EQ(ftruncate(file_.get(), 4096), 0);
  }
  ~StrayFiles() override { unlink(path_.c_str()); }

  std::string path_;
  timespec before_;
  UniqueFd file_;
};

TEST_F(StrayFiles, AnUnusedOneIsRemoved) {
  file_.reset();
  EXPECT_THAT(remove_stray_files(before_), IsEmpty());
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(StrayFiles, AnOpenOneStays) {
  remove_stray_files(before_);
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(StrayFiles, AMappedOneStays) {
  void* const memory = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file_.get(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  file_.reset();
  remove_stray_files(before_);
  EXPECT_TRUE(fs::exists(path_));
  munmap(memory, 4096);
}

TEST_F(StrayFiles, AnOlderOneStays) {
  file_.reset();
  timespec later = file_time_now();
  later.tv_sec += 1;
  remove_stray_files(later);
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(StrayFiles, AnotherNameStays) {
  const fs::path other = "/dev/shm/allprove_test_" + random_id();
  std::ofstream(other) << "x";
  remove_stray_files(before_);
  EXPECT_TRUE(fs::exists(other));
  fs::remove(other);
}

TEST(RemoveContents, LeavesTheDirectoryEmpty) {
  std::string directory = "/tmp/allprove-test-XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  fs::create_directories(directory + "/a/b");
  std::ofstream(directory + "/a/b/c") << "x";
  fs::create_symlink("/nonexistent", directory + "/link");
  EXPECT_THAT(remove_contents(directory), IsEmpty());
  EXPECT_TRUE(fs::is_empty(directory));
  fs::remove(directory);
  EXPECT_THAT(remove_contents(directory), IsEmpty());  // gone already: nothing is left
}

}  // namespace
}  // namespace allprove
