#include "search/threshold/shared_proofs/common_rows_cuts.hpp"

#include <algorithm>

namespace treeproof::threshold {

const KnownSide* FeatureCuts::find(Part part, std::uint32_t position) const {
  for (const KnownSide& k : known)
    if (k.part == part && k.position == position) return &k;
  return nullptr;
}

KnownSide& FeatureCuts::side(Part part, std::uint32_t position) {
  ++version;
  for (KnownSide& k : known)
    if (k.part == part && k.position == position) return k;
  known.push_back({position, part, 0, kInfiniteCost, false});
  return known.back();
}

Cost FeatureCuts::lower(Part part, std::uint32_t position, bool nested) const {
  Cost bound = 0;
  for (const KnownSide& k : known) {
    if (k.part != part) continue;
    const bool holds = !nested
                           ? k.position == position
                           : (part == Part::left ? k.position <= position : k.position >= position);
    if (holds) bound = std::max(bound, k.lower);
  }
  const std::vector<Cost>& priced = part == Part::left ? left_priced : right_priced;
  return nested && !priced.empty() ? std::max(bound, priced[position]) : bound;
}

void CutLister::list(const RowSubset& rows, std::int32_t f, Cost best,
                     std::span<const CutBounds<Cost>> seeds, FeatureCuts& cuts,
                     std::vector<CutGroup>& groups) {
  const FeatureView view(*context_->columns, rows, f);
  if (view.constant()) return;
  if (context_->columns->kind(f) != FeatureKind::ordered) {
    for (std::uint32_t first = 0; first < rows.size();) {
      const std::uint32_t last = view.run_end(first);
      groups.push_back({CutKind::category, f, first, last});
      first = last;
    }
    return;
  }
  // A side with more than one split costs at least two penalties.
  const Cost most = 2 * penalty();
  for (const CutBounds<Cost>& seed : seeds) {
    if (seed.position == 0 || seed.position == rows.size()) continue;
    cuts.known.push_back(
        {seed.position, Part::left, std::min(seed.left, most), kInfiniteCost, false});
    cuts.known.push_back(
        {seed.position, Part::right, std::min(seed.right, most), kInfiniteCost, false});
  }
  const Cost budget = best - penalty();
  list_boundaries(rows, f, budget, cuts);
  group_steps(f, CutKind::left_leaf, budget, cuts, groups);
  group_steps(f, CutKind::right_leaf, budget, cuts, groups);
  group_ranges(f, budget, cuts, groups);
}

// In an optimal tree with the fewest splits, every leaf predicts more weight correctly than a split
// costs. Otherwise the subtree of its sibling could take its rows, for at most that many more
// errors and one split less.
bool CutLister::worthwhile(const Misclassification::Tally& leaf) {
  if (!context_->settings.use_leaf_gain) return true;
  if (cost_of(*std::ranges::max_element(leaf.counts)) > penalty()) return true;
  ++context_->counters->small_leaves;
  return false;
}

void CutLister::list_boundaries(const RowSubset& rows, std::int32_t f, Cost budget,
                                FeatureCuts& cuts) {
  const FeatureView view(*context_->columns, rows, f);
  const Misclassification& loss = *context_->loss;
  const std::uint32_t m = rows.size();
  const std::uint32_t* list = rows.list(f);
  auto in = loss.tally();
  auto out = loss.tally();
  for (std::uint32_t r = 0; r < m; ++r) loss.add(out, rows.row(r));
  Cost least_right = kInfiniteCost;
  for (std::uint32_t k = 1; k < m; ++k) {
    loss.add(in, rows.row(list[k - 1]));
    loss.remove(out, rows.row(list[k - 1]));
    if (!view.boundary(k)) continue;
    const Cost left = loss.value(in);
    const Cost right = loss.value(out);
    cuts.boundaries.push_back(k);
    cuts.left_cost.push_back(left);
    cuts.right_cost.push_back(right);
    while (!cuts.left_leaf.empty() && cuts.left_leaf.back().leaf >= left) cuts.left_leaf.pop_back();
    if (left < budget && worthwhile(in)) cuts.left_leaf.push_back({k, left});
    if (right < least_right && right < budget && worthwhile(out)) {
      least_right = right;
      cuts.right_leaf.push_back({k, right});
    }
  }
  std::ranges::reverse(cuts.right_leaf);
}

// Steps whose other side can afford the same number of penalties form one group.
void CutLister::group_steps(std::int32_t f, CutKind kind, Cost budget, const FeatureCuts& cuts,
                            std::vector<CutGroup>& groups) const {
  const auto& steps = kind == CutKind::left_leaf ? cuts.left_leaf : cuts.right_leaf;
  for (std::uint32_t first = 0; first < steps.size();) {
    std::uint32_t last = first;
    const Cost level = (budget - steps[first].leaf) / penalty();
    while (last + 1 < steps.size() && (budget - steps[last + 1].leaf) / penalty() == level) ++last;
    groups.push_back({kind, f, first, last});
    first = last + 1;
  }
}

// Neighbouring cuts that the seeds do not settle. With splits on both sides, each side costs at
// least one penalty.
void CutLister::group_ranges(std::int32_t f, Cost budget, const FeatureCuts& cuts,
                             std::vector<CutGroup>& groups) const {
  if (budget <= 2 * penalty()) return;
  const std::size_t n = cuts.boundaries.size();
  // Seeds come in pairs (left, right), in order of position.
  std::vector<Cost> right(n);
  Cost bound = penalty();
  for (std::size_t k = n, s = cuts.known.size(); k-- > 0;) {
    for (; s >= 2 && cuts.known[s - 1].position >= cuts.boundaries[k]; s -= 2)
      bound = std::max(bound, cuts.known[s - 1].lower);
    right[k] = bound;
  }
  bound = penalty();
  bool open = false;
  for (std::size_t k = 0, s = 0; k < n; ++k) {
    for (; s < cuts.known.size() && cuts.known[s].position <= cuts.boundaries[k]; s += 2)
      bound = std::max(bound, cuts.known[s].lower);
    if (bound + right[k] >= budget) {
      open = false;
      continue;
    }
    const auto at = static_cast<std::uint32_t>(k);
    if (open) groups.back().last = at;
    else groups.push_back({CutKind::range, f, at, at});
    open = true;
  }
}

}  // namespace treeproof::threshold
