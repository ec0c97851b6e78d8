// A search's knowledge on disk, so that a fit that was killed goes on where it was.
//
// A checkpoint is the memo: for each set of rows its bounds and the test of its best tree.
// Bounds are true whoever proved them and when, so a search that starts with them is as sound
// as one that found them itself, provided that they are about the same problem; a fingerprint
// of table and parameters sees to that, and a checksum to damage. The file is written under
// another name, forced to disk and renamed: it is there complete or as it was before.
//
// A search that tells the steps of its argument writes checkpoints but does not go on from one:
// it has to give the reasons for every bound, and a file has none.
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
  std::uint64_t key_seed = 0;  // of the problem whose sets of rows the keys stand for
  std::vector<Record> records;
};

// Of the problem and the parameters its bounds depend on.
Key fingerprint(const Problem& problem, const TreeLimits& limits);

// False if there is no such file; throws std::invalid_argument, with a sentence for the user,
// if it is about another problem, damaged or something else altogether.
// Numbers of tests and bounds are looked at one by one. What cannot be seen is whether a bound
// is true: a file is believed as far as its folder is.
bool read_checkpoint(const std::string& path, const Problem& problem, const TreeLimits& limits,
                     Checkpoint& out);

// Writes a search's checkpoints: after a pause (in seconds), then whenever twenty times as
// long as the last took has passed, so that they cost at most a twentieth of the time.
class CheckpointKeeper {
 public:
  CheckpointKeeper(std::string path, const Problem& problem, const TreeLimits& limits,
                   double pause)
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
  double pause_;  // the least
  double next_;
  std::int64_t written_ = 0;
  std::int64_t failures_ = 0;
};

// False if the disk does not take it; then the file is as it was before.
bool write_checkpoint(const std::string& path, const Key& fingerprint, std::uint64_t key_seed,
                      const Memo& memo);

}  // namespace treeproof::sparse
