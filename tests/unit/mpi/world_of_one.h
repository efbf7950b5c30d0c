// MPI in a test's own process, which is a world of one.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>

namespace allprove {

class WorldOfOne : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 1);  // Open MPI: no daemon beside it
    setenv("OMPI_MCA_orte_tmpdir_base", ALLPROVE_TEST_SCRATCH, 1);
    ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }
  static void TearDownTestSuite() { EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS); }
};

}  // namespace allprove
