// The short name and version of an MPI, from what the libraries say of themselves.
#include "backends/mpi/library_name.h"

#include <gtest/gtest.h>

namespace allprove {
namespace {

struct Example {
  const char* text;
  const char* library;
  const char* version;
};

class LibraryVersion : public testing::TestWithParam<Example> {};

TEST_P(LibraryVersion, is_told_in_short) {
  const auto name = parse_library_version(GetParam().text);
  EXPECT_EQ(name.library, GetParam().library);
  EXPECT_EQ(name.version, GetParam().version);
}

INSTANTIATE_TEST_SUITE_P(
    All, LibraryVersion,
    testing::Values(
        Example{"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26",
                "Open MPI", "4.1.4"},
        Example{"MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n",
                "MPICH", "4.0.2"},
        Example{"MPICH Version:      4.3.0b1\nMPICH Release date: ...", "MPICH", "4.3.0b1"},
        Example{"Intel(R) MPI Library 2021.9 for Linux* OS\n", "Intel(R) MPI Library", "2021.9"},
        Example{"MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date : ...", "MVAPICH2", "2.3.7"},
        Example{"Some MPI without a number", "Some MPI without a number", "unknown"},
        Example{"", "", "unknown"}));

}  // namespace
}  // namespace allprove
