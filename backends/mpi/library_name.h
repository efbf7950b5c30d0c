// What an MPI says of itself, in short.
#pragma once

#include <string>
#include <string_view>

namespace allprove {

struct LibraryName {
  std::string library;  // "Open MPI"
  std::string version;  // "4.1.4"; "unknown" where the text has none
};

// From the text of MPI_Get_library_version, such as "Open MPI v4.1.4, package: ..." or
// "MPICH Version:\t4.0.2\n...".
LibraryName parse_library_version(std::string_view text);

}  // namespace allprove
