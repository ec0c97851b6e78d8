#include "search/sparse/discrepancy.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/index.hpp"

namespace treeproof::sparse {

template <class Word>
Discrepancy<Word>::Discrepancy(Search<Word>& search, const Layout& layout, std::uint64_t max_bytes)
    : search_(search), layout_(layout),
      max_bytes_(max_bytes == 0 ? std::uint64_t{1} << 30 : max_bytes),
      root_rows_(search.level(0).frame.n_rows) {}

template <class Word>
void Discrepancy<Word>::run_first_passes() {
  work_end_ = std::numeric_limits<std::int64_t>::max();
  while (pass_ <= 0 && !search_.root().solved() && !stopped()) run_pass();
}

template <class Word>
bool Discrepancy<Word>::run(std::int64_t work) {
  const Cost before = search_.root().upper;
  work_end_ = search_.work_done() + work;
  while (!exhausted_ && !search_.root().solved() && !stopped()) run_pass();
  const bool improved = search_.root().upper < before;
  if (improved) ++search_.counters().discrepancy_improved;
  return improved;
}

template <class Word>
void Discrepancy<Word>::run_pass() {
  path_.assign(1, {-1, 0, true});
  impurity_weight_ = pass_ % 2 == 0 ? 0.1 : 0.4;
  visit(0, search_.level(0).frame.key, search_.depth_limit(), pass_);
  if (stopped()) return;  // the same pass continues in the next call
  if (++pass_ > kMaxPasses) exhausted_ = true;
}

// Packs the rows of the node at `depth`, from the nearest ancestor that is packed.
template <class Word>
void Discrepancy<Word>::build(std::size_t depth) {
  if (path_[depth].built) return;
  build(depth - 1);
  const Frame<Word>& parent = search_.level(depth - 1).frame;
  const Step& step = path_[depth];
  std::int32_t child = -1;
  for (std::int32_t j = 0; j < parent.n_columns && child < 0; ++j) {
    if (parent.column[index(j)] < 0) continue;
    const Column& column = layout_.columns[index(parent.column[index(j)])];
    if (column.test != step.test) continue;
    if (column.outcome == step.outcome) {
      child = 2 * j + 1;
    } else if (j < parent.n_binary) {
      child = 2 * j;
    }
  }
  search_.level(depth).frame.build_child(parent, child, search_.kernel());
  path_[depth].built = true;
}

template <class Word>
void Discrepancy<Word>::list_splits(const typename Search<Word>::Level& here, Node& node) const {
  const Frame<Word>& frame = here.frame;
  const Expansion<Word>& e = here.expansion;
  struct Ranked {
    double score, impurity;
    std::size_t candidate;
  };
  std::vector<Ranked> ranked;
  for (std::size_t a = 0; a < e.candidates.size(); ++a) {
    const Candidate& candidate = e.candidates[a];
    double impurity = 0.0;
    auto cost = static_cast<double>(search_.price()(candidate.n_children));
    for (std::int32_t k = 0; k < candidate.n_children; ++k) {
      const std::int32_t child = candidate.child(k);
      const auto total = static_cast<double>(frame.child_total(child));
      double squares = 0.0;
      for (std::int32_t c = 0; c < layout_.n_classes; ++c) {
        const auto n = static_cast<double>(frame.child_count(c, child));
        squares += n * n;
      }
      impurity += total - squares / total;
      cost += static_cast<double>(e.upper[index(child)]);
    }
    impurity *= static_cast<double>(kUnitCost);
    ranked.push_back({cost + 0.1 * impurity, impurity, a});
  }
  if (4 * frame.n_rows < root_rows_ && ranked.size() > kKeptSplits) {
    // Small nodes keep the most promising splits, and CART's choice.
    const auto purest = std::ranges::min_element(ranked, {}, &Ranked::impurity);
    std::swap(*purest, ranked.front());
    std::ranges::nth_element(ranked.begin() + 1, ranked.begin() + kKeptSplits, ranked.end(), {},
                             &Ranked::score);
    ranked.resize(kKeptSplits);
  }
  std::size_t n_children = 0;
  for (const Ranked& r : ranked) n_children += index(e.candidates[r.candidate].n_children);
  node.splits.reserve(ranked.size());
  node.children.reserve(n_children);
  for (const Ranked& r : ranked) {
    const Candidate& candidate = e.candidates[r.candidate];
    node.splits.push_back({candidate.test, static_cast<float>(r.impurity),
                           static_cast<std::int32_t>(node.children.size()), candidate.n_children});
    Key left_over = frame.key;
    for (std::int32_t k = 0; k < candidate.n_children; ++k) {
      const std::int32_t child = candidate.child(k);
      Key rows = left_over;
      if (k + 1 < candidate.n_children) rows = frame.child_key(child);
      left_over -= rows;
      const std::int32_t outcome =
          candidate.two_way ? k : layout_.columns[index(frame.column[index(child >> 1)])].outcome;
      node.children.push_back({rows, e.lower[index(child)], e.upper[index(child)], outcome});
    }
  }
}

// The list of splits of the node, computed by an expansion at the first visit; null if stopped.
template <class Word>
typename Discrepancy<Word>::Node* Discrepancy<Word>::open(std::size_t depth, const Key& rows,
                                                          int depth_left) {
  const Key key = search_.key_at(rows, depth_left);
  if (const auto found = nodes_.find(key); found != nodes_.end()) return &found->second;
  build(depth);
  auto& here = search_.level(depth);
  if (!search_.expander().expand(here.frame, depth_left, here.expansion)) return nullptr;
  const Expansion<Word>& e = here.expansion;
  search_.memo().update(key, 1, {0, e.best, e.best_test});
  Node node;
  list_splits(here, node);
  bytes_ += 160 + node.splits.size() * sizeof(Split) + node.children.size() * sizeof(Child);
  return &nodes_.emplace(key, std::move(node)).first->second;
}

// The known cost of a split; the Gini impurity breaks ties, because it looks further ahead.
template <class Word>
Cost Discrepancy<Word>::rank(Node& node, const Split& split, int below, int effort,
                             Cost& at_least) const {
  Cost cost = search_.price()(split.n_children);
  at_least = cost;
  for (std::int32_t k = 0; k < split.n_children; ++k) {
    Child& child = node.children[index(split.first_child + k)];
    const Bounds b = search_.known(child.rows, below);
    child.lower = std::max(child.lower, b.lower);
    child.upper = std::min(child.upper, b.upper);
    cost += child.upper;
    at_least += child.lower;
  }
  if (effort < 0) return static_cast<Cost>(split.impurity);
  return cost + static_cast<Cost>(impurity_weight_ * static_cast<double>(split.impurity));
}

template <class Word>
void Discrepancy<Word>::visit(std::size_t depth, const Key& rows, int depth_left, int effort) {
  ++search_.counters().discrepancy_visits;
  if (depth_left <= 0 || search_.known(rows, depth_left).solved()) return;
  if (bytes_ > max_bytes_) {  // drop the lists (but not the memo) and compute them again
    if (depth > 0) return;
    nodes_.clear();
    bytes_ = 0;
  }
  if (const auto found = nodes_.find(search_.key_at(rows, depth_left));
      found != nodes_.end() && found->second.effort >= effort)
    return;
  Node* const node = open(depth, rows, depth_left);
  if (node == nullptr) return;
  const int below = search_.child_depth(depth_left);

  struct Ranked {
    Cost score, at_least;
    std::size_t split;
  };
  std::vector<Ranked> order(node->splits.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    order[k].split = k;
    order[k].score = rank(*node, node->splits[k], below, effort, order[k].at_least);
  }
  std::ranges::sort(order, {}, &Ranked::score);

  unsigned taken = 0;
  for (const Ranked& r : order) {
    if (r.at_least >= search_.known(rows, depth_left).upper) continue;
    const int price =
        taken == 0 ? 0 : static_cast<int>(std::bit_width(taken));  // 1 + floor(log2 taken)
    const int left = effort - price;
    if (taken > 0 && left < 0) break;
    ++taken;
    const Split split = node->splits[r.split];
    Cost cost = search_.price()(split.n_children);
    for (std::int32_t k = 0; k < split.n_children; ++k) {
      // References into the node stay valid: unordered_map never moves its elements.
      const Child& child = node->children[index(split.first_child + k)];
      if (child.lower < child.upper && !stopped()) {
        path_.resize(depth + 1);
        path_.push_back({split.test, child.outcome, false});
        visit(depth + 1, child.rows, below, left);
      }
      cost += std::min(child.upper, search_.known(child.rows, below).upper);
    }
    if (cost < search_.known(rows, depth_left).upper)
      search_.memo().update(search_.key_at(rows, depth_left), 1, {0, cost, split.test});
    if (stopped()) return;
  }
  node->effort = effort;
}

template class Discrepancy<std::uint16_t>;
template class Discrepancy<std::uint32_t>;

}  // namespace treeproof::sparse
