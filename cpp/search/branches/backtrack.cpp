#include "search/branches/backtrack.hpp"

#include <algorithm>
#include <utility>

#include "core/memory.hpp"

namespace treeproof::branches {
namespace {

constexpr std::int64_t kWordsPerMicrosecond = 1000;
constexpr std::int64_t kWordsPerPoll = 100'000;

// The child of a split that is searched first: the one that can be settled soonest.
template <class Parts>
auto next_part(Parts& parts) {
  auto next = parts.end();
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    if (part->bounds.solved()) continue;
    const auto gap = [](const auto& p) { return p->bounds.upper - p->bounds.lower; };
    if (next == parts.end() || gap(part) < gap(next)) next = part;
  }
  return next;
}

}  // namespace

std::uint64_t Backtrack::Level::bytes() const {
  return sizeof(Level) + capacity_bytes(rows.index, rows.word, rows.slice_end, whole.weight,
                                        whole.samples, options, parts);
}

Backtrack::Backtrack(Splitter& splitter, Limits& limits, Counters& counters,
                     std::uint64_t table_bytes, TreeDraft tree, Progress progress)
    : splitter_(splitter), limits_(limits), counters_(counters), table_(table_bytes, false),
      tree_(std::move(tree)),
      tree_cost_(evaluate(splitter.problem(), flatten(tree_), splitter.split_cost())),
      progress_(std::move(progress)) {
  const std::uint32_t n = splitter.bits().n_literals();
  for (std::uint32_t l = 0; l < n; ++l) literal_key_.push_back(random_key(l));
  Level& root = level(0);
  root.key = random_key(n);  // a key of zeros would mean a free place
  splitter.bits().intersect({}, root.rows);
  splitter.bits().count(root.rows, root.whole);
}

void Backtrack::learn(std::span<const std::uint32_t> literals, Weight weight,
                      const Bounds& bounds) {
  Key key = levels_[0]->key;
  for (const std::uint32_t l : literals) key += literal_key_[l];
  // The effort is not known; it grows with the number of rows, and is at least that of evaluating
  // them.
  table_.update(key, 1 + weight / 64, bounds);
  give_back_holes();
}

Backtrack::Level& Backtrack::level(std::size_t depth) {
  while (levels_.size() <= depth) levels_.push_back(std::make_unique<Level>());
  return *levels_[depth];
}

// A path that exceeds the allowance ends the search.
void Backtrack::account_for(Level& level) {
  const std::uint64_t now = level.bytes();
  path_bytes_ += now - level.counted;
  level.counted = now;
  const std::uint64_t allowance = limits_.memory_allowance();
  if (allowance > 0 && splitter_.bits().bytes() + path_bytes_ > allowance)
    limits_.memory_exhausted();
}

// The children of a test with the best bounds known. Returns false if the test does not split the
// rows.
bool Backtrack::split(std::size_t depth, std::int32_t test, std::vector<Part>& parts) {
  const Level& here = *levels_[depth];
  work_ += static_cast<std::int64_t>(here.rows.index.size() + 20);
  parts.clear();
  if (!splitter_.split(here.rows, here.whole, test, static_cast<std::int32_t>(depth), parts))
    return false;
  for (Part& part : parts) {
    part.key = here.key;
    part.key += literal_key_[splitter_.bits().literal(test, part.outcome)];
    part.bounds = {part.value.lower, part.value.leaf, -1};
    if (part.value.complete) continue;
    const Bounds known = table_.find(part.key);
    part.bounds.lower = std::max(part.bounds.lower, known.lower);
    if (known.upper < part.bounds.upper) {
      part.bounds.upper = known.upper;
      part.bounds.test = known.test;
    }
  }
  return true;
}

// Bounds every split of a branch by what is known of its children; the sum of their best
// subtrees is a tree.
void Backtrack::list_options(std::size_t depth, Cost budget, Bounds& found) {
  Level& here = *levels_[depth];
  here.options.clear();
  here.dropped = kInfiniteCost;
  std::int64_t polled = work_;
  for (std::int32_t t = 0; t < splitter_.n_tests(); ++t) {
    if (work_ - polled > kWordsPerPoll || t + 1 == splitter_.n_tests()) {
      const std::int64_t spent = (work_ - polled) / kWordsPerMicrosecond + 1;
      if (limits_.stop(static_cast<std::uint32_t>(spent))) {
        // a lower bound for the tests that were not examined
        here.dropped = splitter_.split_cost();
        break;
      }
      polled = work_;
    }
    if (!split(depth, t, here.parts)) continue;
    Cost lower = splitter_.split_cost();
    Cost upper = splitter_.split_cost();
    counters_.evaluations += static_cast<std::int64_t>(here.parts.size());
    for (const Part& part : here.parts) {
      if (part.value.purified) ++counters_.purified;
      if (!part.value.complete && part.bounds.lower > part.value.lower) ++counters_.memo_hits;
      lower += part.bounds.lower;
      upper += part.bounds.upper;
    }
    if (upper < found.upper) {
      found.upper = upper;
      found.test = t;
    }
    // A split that costs at least the budget, or at least as much as a known tree, is dropped.
    if (lower < std::min(found.upper, budget)) {
      here.options.push_back({lower, t});
    } else {
      here.dropped = std::min(here.dropped, lower);
    }
  }
  std::ranges::stable_sort(here.options, {}, &Option::lower);
}

// Searches the children of a split, one after the other, while it may cost less than the budget and
// the best tree of its branch. Returns a lower bound on its cost.
Cost Backtrack::search_split(std::size_t depth, std::int32_t test, Cost budget, Bounds& found) {
  Level& here = *levels_[depth];
  split(depth, test, here.parts);
  Cost lower = splitter_.split_cost();
  for (const Part& part : here.parts) lower += part.bounds.lower;
  const Cost goal = std::min(found.upper, budget);
  while (lower < goal && !over()) {
    const auto part = next_part(here.parts);
    if (part == here.parts.end()) break;
    // A child that costs this much makes the split cost the goal, whatever the others cost.
    const Cost left = goal - (lower - part->bounds.lower);
    const Bounds after = visit(depth, test, *part, left);
    lower += after.lower - part->bounds.lower;
    part->bounds = after;
    if (!after.solved()) break;
  }
  Cost upper = splitter_.split_cost();
  for (const Part& part : here.parts) upper += part.bounds.upper;
  if (upper < found.upper) {
    found.upper = upper;
    found.test = test;
  }
  return lower;
}

// Makes a child the branch of the next level.
void Backtrack::enter(std::size_t depth, std::int32_t test, const Part& part) {
  const LiteralBits& bits = splitter_.bits();
  Level& below = level(depth + 1);
  below.key = part.key;
  bits.narrow(levels_[depth]->rows, bits.literal(test, part.outcome), below.rows);
  bits.count(below.rows, below.whole);
}

// Improves the bounds of a child until it is settled, costs at least `budget`, or a limit is
// reached.
Bounds Backtrack::visit(std::size_t depth, std::int32_t test, const Part& part, Cost budget) {
  const std::int64_t before = work_;
  Bounds found = part.bounds;
  enter(depth, test, part);
  search(depth + 1, budget, found);
  found = table_.update(part.key, (work_ - before) / kWordsPerMicrosecond + 1, found);
  give_back_holes();
  return found;
}

// A table that grows leaves holes in the memory, which count towards the memory of the process.
void Backtrack::give_back_holes() {
  if (table_.moves() == moves_) return;
  moves_ = table_.moves();
  if (limits_.memory_allowance() > 0 && 4 * table_.account().bytes > limits_.memory_allowance())
    give_back_memory();
}

void Backtrack::search(std::size_t depth, Cost budget, Bounds& found) {
  ++counters_.backtracked;
  counters_.longest_path = std::max(counters_.longest_path, static_cast<std::int64_t>(depth) + 1);
  Level& here = *levels_[depth];
  const Cost leaf = splitter_.evaluate(here.whole, static_cast<std::int32_t>(depth)).leaf;
  list_options(depth, budget, found);
  account_for(here);
  // Every tree of this branch is a leaf, begins with a split that was dropped or searched
  // (`least`), or with one of the options left, of which the next has the least bound.
  Cost least = std::min(leaf, here.dropped);
  for (std::size_t k = 0;; ++k) {
    const Cost rest = k < here.options.size() ? here.options[k].lower : kInfiniteCost;
    found.lower = std::max(found.lower, std::min({least, rest, found.upper}));
    if (depth == 0) keep_tree(found, false);
    if (over() || rest >= std::min(found.upper, budget)) return;
    least = std::min(least, search_split(depth, here.options[k].test, budget, found));
  }
}

Bounds Backtrack::run() {
  Level& root = *levels_[0];
  const Evaluation value = splitter_.evaluate(root.whole, 0);
  Bounds found = table_.find(root.key);
  found.lower = std::max(found.lower, value.lower);
  if (tree_cost_ < found.upper) {
    found.upper = tree_cost_;
    found.test = tree_.test;
  }
  if (!found.solved()) search(0, kInfiniteCost, found);
  if (found.solved() && tree_cost_ > found.upper) keep_tree(found, true);
  return found;
}

// Builds the tree that has these bounds; parts that the table has dropped are searched again.
// `settled`: the tree is optimal, and so are its parts. Returns false if a limit was reached.
bool Backtrack::draft(std::size_t depth, const Bounds& bounds, bool settled, TreeDraft& tree) {
  if (bounds.test < 0) return true;
  tree.test = bounds.test;
  std::vector<Part> parts;
  split(depth, tree.test, parts);
  Cost lower = 0;
  for (const Part& part : parts) lower += part.bounds.lower;
  Cost left = bounds.upper - splitter_.split_cost();
  for (Part& part : parts) {
    lower -= part.bounds.lower;
    // The other children cost at least `lower`, so that this is the maximum for the child.
    const Cost most = left - lower;
    if (part.bounds.upper > most || (settled && !part.bounds.solved()))
      part.bounds = visit(depth, tree.test, part, most + 1);
    if (over()) return false;
    left -= part.bounds.upper;
    enter(depth, tree.test, part);
    tree.outcomes.push_back(part.outcome);
    if (!draft(depth + 1, part.bounds, settled, tree.children.emplace_back())) return false;
  }
  return true;
}

void Backtrack::keep_tree(const Bounds& root, bool settled) {
  if (root.upper < tree_cost_) {
    TreeDraft better;
    if (draft(0, root, settled, better)) {
      const Cost cost = evaluate(splitter_.problem(), flatten(better), splitter_.split_cost());
      if (cost < tree_cost_) {
        tree_ = std::move(better);
        tree_cost_ = cost;
      }
    }
  }
  progress_({root.lower, tree_cost_, root.test});
}

}  // namespace treeproof::branches
