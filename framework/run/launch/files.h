// Removing what killed ranks left behind: directories of ours, and shared-memory files that a
// library made outside of them.
#pragma once

#include <time.h>

#include <filesystem>
#include <string>
#include <vector>

namespace allprove {

// Where a run without sandbox keeps the shared-memory files whose place can be chosen.
std::filesystem::path shared_memory_directory(const std::string& run_id);

// Removes what is in the directory, but not itself. Returns one line for each entry that is left.
std::vector<std::string> remove_contents(const std::filesystem::path& directory);

// The time now, as file systems stamp it.
timespec file_time_now();

// Removes the files of MPI libraries' name patterns in /dev/shm and /tmp (kPatterns in files.cpp)
// that belong to this user, were changed since then, and that no process at all, in whatever
// namespace, has open or mapped: the kernel says so by granting a write lease. Thus a file of
// another running program is never touched. Returns one line for each that is unused and is left.
std::vector<std::string> remove_stray_files(timespec since);

}  // namespace allprove
