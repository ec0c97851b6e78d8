// The bounds of a search on disk, so that a fit that was killed can be continued.
//
// A checkpoint is the memo: for each set of rows its bounds and the test of its best tree. Bounds
// are true regardless of who proved them and when, so a search that starts from them is as sound as
// one that proved them itself, provided that they are about the same problem. A fingerprint of
// table and parameters ensures this, and a checksum detects damage. The file is written under
// another name, flushed to disk and renamed, so that it is either complete or unchanged.
//
// A search that reports proof steps writes checkpoints but does not read them: it has to give the
// reasons for every bound, and a checkpoint contains none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/limits.hpp"
#include "core/options.hpp"
#include "core/steps.hpp"
#include "data/problem.hpp"
#include "search/memo.hpp"

namespace treeproof::sparse {

struct Checkpoint {
  struct Record {
    Key key;
    Cost lower;
    Cost upper;
    std::int32_t test;
    std::uint32_t effort;
  };
  std::uint64_t key_seed = 0;  // seed of the keys of the rows of the problem
  std::vector<Record> records;
};

// The fingerprint of the problem and of the parameters on which its bounds depend.
Key fingerprint(const Problem& problem, const TreeLimits& limits);

// Returns false if there is no such file. Throws std::invalid_argument, with a sentence for the
// user, if the file is about another problem, damaged, or not a checkpoint. Test numbers and bounds
// are validated one by one, but whether a bound is true cannot be seen: the file is trusted as much
// as the folder it is in.
bool read_checkpoint(const std::string& path, const Problem& problem, const TreeLimits& limits,
                     Checkpoint& out);

// Writes the checkpoints of a search: the first after a pause (in seconds), and then whenever
// twenty times the duration of the last write has passed, so that writing takes at most a twentieth
// of the time.
class CheckpointKeeper {
 public:
  CheckpointKeeper(std::string path, const Problem& problem, const TreeLimits& limits, double pause)
      : path_(std::move(path)), key_seed_(problem.key_seed),
        fingerprint_(fingerprint(problem, limits)), pause_(pause), next_(pause) {}

  bool due(const Limits& limits) const { return limits.seconds() >= next_; }
  void save(const Memo& memo, const Limits& limits);
  std::int64_t written() const { return written_; }
  std::int64_t failures() const { return failures_; }

 private:
  std::string path_;
  std::uint64_t key_seed_;
  Key fingerprint_;
  double pause_;  // the minimum pause
  double next_;
  std::int64_t written_ = 0;
  std::int64_t failures_ = 0;
};

// Returns false if the file cannot be written; it is then unchanged.
bool write_checkpoint(const std::string& path, const Key& fingerprint, std::uint64_t key_seed,
                      const Memo& memo);

}  // namespace treeproof::sparse
