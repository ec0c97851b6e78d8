// Files that must survive a crash.
#pragma once

#include <string>

namespace treeproof {

// Returns when the content of the file is on the disk; false if it cannot be written.
bool force_to_disk(const std::string& path);

}  // namespace treeproof
