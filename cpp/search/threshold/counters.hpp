// How often each part of a threshold search ran, and how often each bound pruned.
#pragma once

#include <array>
#include <cstdint>

#include "search/result.hpp"

namespace treeproof::threshold {

struct Counters {
  std::int64_t depth_two_solves = 0;
  std::int64_t sweeps = 0;            // passes over the cuts of a root feature
  std::int64_t evaluations = 0;       // cuts that were bounded from histograms
  std::int64_t exact_scans = 0;       // columns scanned row by row
  std::int64_t fine_bins = 0;         // sets of rows whose bins were divided into parts
  std::int64_t partitions = 0;        // sets of rows cut in two above depth two
  std::int64_t interval_prunes = 0;   // intervals closed by the monotone bound l(x1) + r(x2)
  std::int64_t step_prunes = 0;       // intervals closed by the unit step alone
  std::int64_t shrinks = 0;           // ends of intervals that the unit step removed
  std::int64_t cutoffs = 0;           // children whose bound reached the cut-off
  std::int64_t inherited_prunes = 0;  // features closed by bounds inherited from neighbouring cuts
  std::int64_t deepenings = 0;        // sides solved again with a higher cut-off
  std::int64_t partition_prunes = 0;  // subproblems closed by the best partition of their targets
  std::int64_t price_prunes = 0;      // subproblems closed by the prices of their rows
  std::int64_t two_split_tests = 0;   // subproblems settled by pairs of literals
  std::int64_t common_rows_batches = 0;  // common rows of several sides, solved once for all
  std::int64_t failed_batches = 0;       // of these, the ones with a cheap tree
  std::int64_t shared_proofs = 0;        // sides bounded by the proof for common rows
  std::int64_t costly_set_prunes = 0;    // sides bounded by an earlier proof for similar rows
  std::int64_t witness_refutations = 0;  // sides that have a cheap tree, so that no proof is tried
  // cuts left out because a leaf predicts too little weight correctly
  std::int64_t small_leaves = 0;
  std::int64_t pair_solves = 0;  // answers of the last two levels from sums over pairs of columns
  std::int64_t subtracted_pairs = 0;  // of these, the ones with the sums of a whole less a part
  std::int64_t count_solves = 0;      // answers of depth two from counts of two classes
  std::int64_t inherited_lanes = 0;   // columns below a cut that neighbouring cuts have settled
  std::int64_t parted_groups = 0;     // groups of bins that are no use as a whole
  std::int64_t parted_bins = 0;       // bins that are no use even if a cut parts their classes
  std::int64_t tangent_cuts = 0;      // cuts that a tangent of the logarithm has settled
  std::int64_t shared_bins = 0;       // sets of rows that took over the bins of a larger one
  std::int64_t planned_trees = 0;     // answers of depth two with only the root of a tree
  std::int64_t boxes_used = 0;        // bounds that boxes of earlier cuts lent to a side
  std::int64_t recalled_sets = 0;     // sides answered by an earlier solve of the same rows
  std::int64_t doubled_splits = 0;    // multiway splits into two, left to the other kind of split
  std::int64_t left_out_proofs = 0;   // searches ended by the problem that leaves out categories
  std::int64_t chain_proofs = 0;      // searches ended by trees without multiway splits
  std::int64_t helped = 0;            // pieces of work opened by threads that help

  struct Entry {
    const char* name;
    std::int64_t Counters::* member;
  };
  static constexpr auto all() {
    return std::to_array<Entry>({
        {"depth_two_solves", &Counters::depth_two_solves},
        {"sweeps", &Counters::sweeps},
        {"evaluations", &Counters::evaluations},
        {"exact_scans", &Counters::exact_scans},
        {"fine_bins", &Counters::fine_bins},
        {"partitions", &Counters::partitions},
        {"interval_prunes", &Counters::interval_prunes},
        {"step_prunes", &Counters::step_prunes},
        {"shrinks", &Counters::shrinks},
        {"cutoffs", &Counters::cutoffs},
        {"inherited_prunes", &Counters::inherited_prunes},
        {"deepenings", &Counters::deepenings},
        {"partition_prunes", &Counters::partition_prunes},
        {"price_prunes", &Counters::price_prunes},
        {"two_split_tests", &Counters::two_split_tests},
        {"common_rows_batches", &Counters::common_rows_batches},
        {"failed_batches", &Counters::failed_batches},
        {"shared_proofs", &Counters::shared_proofs},
        {"costly_set_prunes", &Counters::costly_set_prunes},
        {"witness_refutations", &Counters::witness_refutations},
        {"small_leaves", &Counters::small_leaves},
        {"pair_solves", &Counters::pair_solves},
        {"subtracted_pairs", &Counters::subtracted_pairs},
        {"count_solves", &Counters::count_solves},
        {"inherited_lanes", &Counters::inherited_lanes},
        {"parted_groups", &Counters::parted_groups},
        {"parted_bins", &Counters::parted_bins},
        {"tangent_cuts", &Counters::tangent_cuts},
        {"shared_bins", &Counters::shared_bins},
        {"planned_trees", &Counters::planned_trees},
        {"boxes_used", &Counters::boxes_used},
        {"recalled_sets", &Counters::recalled_sets},
        {"doubled_splits", &Counters::doubled_splits},
        {"left_out_proofs", &Counters::left_out_proofs},
        {"chain_proofs", &Counters::chain_proofs},
        {"helped", &Counters::helped},
    });
  }

  Statistics named() const {
    Statistics out;
    for (const auto& [name, member] : all()) out.emplace_back(name, this->*member);
    return out;
  }
  void add(const Counters& other) {
    for (const auto& [name, member] : all()) this->*member += other.*member;
  }
};

}  // namespace treeproof::threshold
