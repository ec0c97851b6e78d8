// The files of a sparse search: the log of its proof steps, and the checkpoint from which it
// continues.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "proof/log.hpp"
#include "search/sparse/solve.hpp"

namespace treeproof::bindings {

class SparseFiles {
 public:
  // Opens the log (empty: none) and reads the checkpoint (empty: none) of this problem. A search
  // that has to give its reasons believes no file: it begins anew.
  SparseFiles(Problem& problem, const TreeLimits& tree_limits, const std::string& log,
              const std::string& checkpoint, sparse::Options& options) {
    const bool there =
        !checkpoint.empty() && read_checkpoint(checkpoint, problem, tree_limits, kept_);
    const bool resumed = there && log.empty();
    if (resumed) problem.key_seed = kept_.key_seed;
    if (!log.empty()) log_.emplace(log);
    options.checkpoint = checkpoint;
    if (resumed) options.resumed = &kept_;
  }
  SparseFiles(const SparseFiles&) = delete;
  SparseFiles& operator=(const SparseFiles&) = delete;

  StepListener* listener() { return log_ ? &*log_ : nullptr; }
  void finish() {
    if (log_) complete_ = log_->finish();
  }
  void describe(nanobind::dict& answer) const {
    if (!log_) return;
    nanobind::list sections;
    for (const proof::Section& s : log_->sections())
      sections.append(nanobind::make_tuple(s.split_cost, s.begin, s.end, s.bound));
    answer["log_sections"] = sections;
    answer["log_complete"] = complete_;
  }

 private:
  sparse::Checkpoint kept_;
  std::optional<proof::StepLog> log_;
  bool complete_ = true;
};

}  // namespace treeproof::bindings
