// The MPIs that the build was told of besides the usual ones (ALLPROVE_MPI_EXTRA): each is a
// backend, and is launched as its family is.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace allprove {

struct ExtraBackend {
  std::string name;
  std::string family;      // the usual backend that it is a build of: "openmpi" or "mpich"
  std::string worker;      // file name beside the driver; empty: it could not be built
  std::string mpirun;      // path of its own launcher; empty: none was found
  std::string how_to_get;  // of one that could not be built: why, and what to do
};

// The extra backends in backends.json, which the build writes beside the programs; none when there
// is no such file. Throws InternalError when it is not as the build writes it.
std::vector<ExtraBackend> read_extra_backends(const std::filesystem::path& file);

}  // namespace allprove
