// Which allprove this is. The values are written by the build (cmake/AllproveVersion.cmake); link
// `allprove_version` to have them.
#pragma once

#include <string_view>

namespace allprove {

struct VersionInfo {
  std::string_view version;  // "0.1.0"
  std::string_view commit;   // twelve hex digits, or "unknown" where it was not built from git
  bool dirty;                // built from files that differ from that commit
};

const VersionInfo& version_info();

}  // namespace allprove
