// Files that must survive a crash.
#pragma once

#include <string>

namespace treeproof {

// Returns when what was written to the file is on the disk; false if it cannot be put there.
bool force_to_disk(const std::string& path);

}  // namespace treeproof
