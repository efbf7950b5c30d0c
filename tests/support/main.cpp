// The main() of every test program: a test that skipped must show in ctest, not pass in silence.
#include <gtest/gtest.h>

namespace {

constexpr int kSkipped = 77;  // ctest's SKIP_RETURN_CODE, set in cmake/AllproveTest.cmake

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const auto& all = *testing::UnitTest::GetInstance();
  if (failed == 0 && all.skipped_test_count() > 0) return kSkipped;
  return failed;
}
