// The files of a sparse search: the log of its proof steps, and the checkpoint from which it
// continues.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proof/log.hpp"
#include "search/sparse/solve.hpp"

namespace treeproof::proof {

class SearchFiles {
 public:
  // Opens the log and reads the checkpoint of this problem; an empty path means that there is none.
  // A search that writes a proof does not continue from a checkpoint, because the log has to
  // contain all its steps.
  SearchFiles(Problem& problem, const TreeLimits& tree_limits, const std::string& log,
              const std::string& checkpoint, sparse::Options& options) {
    const bool there =
        !checkpoint.empty() && read_checkpoint(checkpoint, problem, tree_limits, kept_);
    const bool resumed = there && log.empty();
    if (resumed) problem.key_seed = kept_.key_seed;
    if (!log.empty()) log_.emplace(log);
    options.checkpoint = checkpoint;
    if (resumed) options.resumed = &kept_;
  }
  SearchFiles(const SearchFiles&) = delete;
  SearchFiles& operator=(const SearchFiles&) = delete;

  // The listener that logs the steps of the search; null without a log.
  StepListener* listener() { return log_ ? &*log_ : nullptr; }
  const StepLog* log() const { return log_ ? &*log_ : nullptr; }

  void finish() {
    if (log_) complete_ = log_->finish();
  }
  // Whether the whole log could be written.
  bool complete() const { return complete_; }

 private:
  sparse::Checkpoint kept_;
  std::optional<StepLog> log_;
  bool complete_ = true;
};

}  // namespace treeproof::proof
