#include "core/disk.hpp"

#include <fcntl.h>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

namespace treeproof {

#ifdef _WIN32
bool force_to_disk(const std::string& path) {
  const int descriptor = ::_open(path.c_str(), _O_RDWR | _O_BINARY);
  if (descriptor < 0) return false;
  const bool done = ::_commit(descriptor) == 0;
  ::_close(descriptor);
  return done;
}
#else
bool force_to_disk(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  if (descriptor < 0) return false;
  const bool done = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return done;
}
#endif

}  // namespace treeproof
