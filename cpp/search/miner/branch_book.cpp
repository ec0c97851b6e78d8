#include "search/miner/branch_book.hpp"

#include <algorithm>
#include <utility>

namespace treeproof::miner {

BranchBook::BranchBook(const Problem& problem, const TreeLimits& tree_limits, LiteralBits bits,
                       Limits& limits)
    : problem_(problem), limits_(limits),
      split_cost_(treeproof::split_cost(tree_limits.split_penalty, problem.total_weight)),
      max_depth_(tree_limits.max_depth), min_samples_(tree_limits.min_samples_leaf),
      bits_(std::move(bits)), index_(bits_.n_literals()) {
  bits_.intersect({}, rows_);
  bits_.count(rows_, whole_);
  records_.push_back(evaluate(whole_.weight.data(), whole_.samples[0], 0));
}

BranchBook::Record BranchBook::evaluate(const Weight* by_class, std::int64_t samples,
                                        std::int32_t depth) {
  ++evaluations_;
  std::int64_t weight = 0;
  Weight majority = 0;
  for (std::int32_t k = 0; k < problem_.n_classes; ++k) {
    weight += by_class[k];
    majority = std::max(majority, by_class[k]);
  }
  const Cost leaf = cost_of(weight - majority);
  if (depth == max_depth_ || (min_samples_ > 1 && samples < 2 * min_samples_)) return {leaf, leaf};
  if (leaf <= split_cost_) ++purified_;
  return {leaf, std::min(leaf, split_cost_)};
}

std::uint32_t BranchBook::work_out(BranchId id) {
  if (records_[id].n_splits >= 0) return static_cast<std::uint32_t>(records_[id].n_splits);
  bits_.intersect(index_.literals(id), rows_);
  bits_.count(rows_, whole_);
  const std::uint64_t hash = index_.hash(id);
  const auto first = static_cast<std::uint32_t>(splits_.size());
  const auto n_tests = static_cast<std::int32_t>(problem_.tests.size());
  const auto words = static_cast<std::uint32_t>(rows_.index.size() + 100);
  std::uint32_t work = 0;  // a thousand words take about a microsecond
  for (std::int32_t t = 0; t < n_tests; ++t) {
    add_split(id, hash, t);
    work += words;
    if (work < 100'000) continue;
    if (limits_.stop(work / 1000)) {
      splits_.resize(first);
      return 0;
    }
    work = 0;
  }
  records_[id].first_split = first;
  records_[id].n_splits = static_cast<std::int32_t>(splits_.size() - first);
  if (records_[id].n_splits == 0) records_[id].bound = records_[id].leaf;
  return static_cast<std::uint32_t>(records_[id].n_splits);
}

// Adds a test's split of the branch whose rows are loaded, unless it leaves all rows in
// one child (no optimal tree needs that) or a child would hold too few.
void BranchBook::add_split(BranchId id, std::uint64_t hash, std::int32_t test) {
  bits_.count_outcomes(rows_, whole_, test, counts_);
  const std::int32_t n = problem_.tests[static_cast<std::size_t>(test)].n_outcomes;
  const auto n_classes = static_cast<std::size_t>(problem_.n_classes);
  const auto holds_rows = [&](std::size_t o) {
    const auto first = counts_.weight.begin() + static_cast<std::ptrdiff_t>(o * n_classes);
    return std::any_of(first, first + problem_.n_classes, [](Weight w) { return w > 0; });
  };
  std::int32_t held = 0;
  for (std::int32_t o = 0; o < n; ++o) {
    const auto outcome = static_cast<std::size_t>(o);
    if (!holds_rows(outcome)) continue;
    if (min_samples_ > 1 && counts_.samples[outcome] < min_samples_) return;
    ++held;
  }
  if (held < 2) return;
  splits_.push_back({test, static_cast<std::uint32_t>(children_.size()), held});
  for (std::int32_t o = 0; o < n; ++o) {
    const auto outcome = static_cast<std::size_t>(o);
    if (!holds_rows(outcome)) continue;
    const std::uint32_t literal = bits_.literal(test, o);
    const std::uint64_t child_hash = index_.hash_with(hash, literal);
    BranchId child = index_.find(child_hash, id, literal);
    if (child == kNoBranch) {
      child = index_.insert(child_hash, id, literal);
      records_.push_back(evaluate(counts_.weight.data() + outcome * n_classes,
                                  counts_.samples[outcome], index_.depth(child)));
    }
    children_.push_back(child);
    outcomes_.push_back(o);
  }
}

std::int32_t BranchBook::outcome(const Split& split, std::size_t child) const {
  return outcomes_[split.first_child + child];
}

std::uint64_t BranchBook::bytes() const {
  return bits_.bytes() + index_.bytes() + records_.capacity() * sizeof(Record) +
         splits_.capacity() * sizeof(Split) +
         (children_.capacity() + outcomes_.capacity()) * sizeof(BranchId);
}

std::uint64_t BranchBook::bytes_to_grow() const {
  const std::size_t margin = 16 * static_cast<std::size_t>(bits_.n_literals());
  const auto doubled = [&](const auto& list) {
    const std::size_t more = list.size() + margin > list.capacity() ? list.capacity() + margin : 0;
    return static_cast<std::uint64_t>(more * sizeof(list[0]));
  };
  return index_.bytes_to_grow(1) + doubled(records_) + doubled(splits_) + doubled(children_) +
         doubled(outcomes_);
}

}  // namespace treeproof::miner
