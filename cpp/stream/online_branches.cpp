#include "stream/online_branches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stream/archive.hpp"

namespace treeproof::stream {

OnlineBranches::OnlineBranches(const OnlineBranchesOptions& options)
    : options_(options), window_(options.window_size),
      search_(options.split_penalty, options.memory_limit), next_start_(next_start_after(0)) {}

void OnlineBranches::grow(const Schema& schema) {
  grow_schema(schema);
  bins_.resize(ordered_.size());
  window_.grow(schema_);
}

// The numbers of rows at which a search begins: n, n/2, n/4 and so on.
std::int32_t OnlineBranches::next_start_after(std::int32_t rows) const {
  std::int32_t at = options_.window_size;
  while (at / 2 > rows && at / 2 >= kFewestRows) at /= 2;
  return at > rows ? at : std::numeric_limits<std::int32_t>::max();
}

void OnlineBranches::learn(Row codes, std::span<const double> numbers, std::int32_t label,
                           double weight) {
  ++seen_;
  if (!searching_) count_in_leaf(label, weight);
  row_.assign(codes.begin(), codes.end());
  for (std::size_t j = 0; j < ordered_.size(); ++j)
    row_[static_cast<std::size_t>(ordered_[j])] = bins_[j].code(numbers[j]);
  const auto cost = std::max<Cost>(1, std::llround(weight * static_cast<double>(kUnitCost)));
  window_.push(row_, numbers, label, cost);
  if (searching_ && !search_.complete()) {
    for (std::int32_t k = 0; k < options_.iterations_per_sample; ++k)
      changed_ = search_.step(window_) || changed_;
    if (finished()) consumed_ = seen_;
    look_at_tree();
  }
  if (!final_ && window_.size() >= next_start_) start_search();
}

void OnlineBranches::start_search() {
  // Evaluate the current tree on these rows before their numbers get new codes.
  old_cost_ = cost_of_tree();
  bin_numbers();
  final_ = window_.full();
  searching_ = true;
  next_start_ = next_start_after(window_.size());
  ++starts_;
  search_.start(window_, window_.size());
  if (finished()) consumed_ = seen_;
  changed_ = true;
  since_tree_ = std::numeric_limits<std::int32_t>::max() / 2;
  look_at_tree();
}

void OnlineBranches::bin_numbers() {
  std::vector<double> values(static_cast<std::size_t>(window_.size()));
  std::vector<Code> codes(values.size());
  for (std::size_t j = 0; j < ordered_.size(); ++j) {
    for (std::int32_t slot = 0; slot < window_.size(); ++slot)
      values[static_cast<std::size_t>(slot)] = window_.number(slot, j);
    bins_[j] = quantile_bins(values, options_.numeric_bins);
    Column& column = schema_.columns[static_cast<std::size_t>(ordered_[j])];
    column.n_codes = bins_[j].n_codes();
    column.missing = bins_[j].missing();
  }
  if (ordered_.empty()) return;
  window_.grow(schema_);
  for (std::size_t j = 0; j < ordered_.size(); ++j) {
    for (std::int32_t slot = 0; slot < window_.size(); ++slot)
      codes[static_cast<std::size_t>(slot)] = bins_[j].code(window_.number(slot, j));
    window_.recode(ordered_[j], codes);
  }
}

// The share of the window's weight that the tree in use gets wrong, plus its penalties.
double OnlineBranches::cost_of_tree() const {
  if (tree_.n_classes == 0) return std::numeric_limits<double>::infinity();
  std::vector<double> numbers(ordered_.size());
  double wrong = 0.0;
  double total = 0.0;
  for (std::int32_t slot = 0; slot < window_.size(); ++slot) {
    for (std::size_t j = 0; j < numbers.size(); ++j) numbers[j] = window_.number(slot, j);
    const auto weight = static_cast<double>(window_.weight(slot));
    total += weight;
    if (predict(window_.row(slot), numbers) != window_.label(slot)) wrong += weight;
  }
  return wrong / total + options_.split_penalty * tree_.n_splits();
}

// Extracts the tree from the search, at a rate that keeps the work for each row constant:
// extracting a tree with s splits takes about s supports.
void OnlineBranches::look_at_tree() {
  ++since_tree_;
  const bool ended = search_.complete();
  if (!ended && (!changed_ || since_tree_ < std::max(8, 2 * tree_.n_splits()))) return;
  const double cost = static_cast<double>(search_.upper()) / static_cast<double>(search_.unit());
  since_tree_ = 0;
  changed_ = false;
  if (!ended && cost > old_cost_) return;
  old_cost_ = std::numeric_limits<double>::infinity();
  tree_ = flatten(search_.best_tree(window_), schema_.n_classes);
  tree_bins_ = bins_;
}

void OnlineBranches::restart(std::int64_t recent) {
  const auto keep = std::min<std::int64_t>(recent, window_.size());
  window_.keep_newest(static_cast<std::int32_t>(keep));
  final_ = searching_ = false;
  next_start_ = next_start_after(0);
  if (window_.size() >= kFewestRows || window_.full()) start_search();
}

void OnlineBranches::reweight(std::int64_t recent, double factor) {
  const auto keep = std::min<std::int64_t>(recent, window_.size());
  window_.discount(static_cast<std::int32_t>(keep), factor);
  final_ = searching_ = false;
  next_start_ = next_start_after(0);
  if (window_.size() >= kFewestRows || window_.full()) start_search();
}

bool OnlineBranches::settle(std::int64_t steps) {
  if (window_.size() == 0) return true;
  if (!final_) start_search();
  for (; steps > 0 && !search_.complete(); --steps) changed_ = search_.step(window_) || changed_;
  since_tree_ = std::numeric_limits<std::int32_t>::max() / 2;
  look_at_tree();
  return search_.complete();
}

Statistics OnlineBranches::statistics() const {
  const SearchCounters& c = search_.counters();
  const bool started = starts_ > 0;
  const double unit = started ? static_cast<double>(search_.unit()) : 1.0;
  return {
      {"samples", static_cast<double>(seen_)},
      {"samples_consumed", static_cast<double>(consumed_)},
      {"searches", static_cast<double>(starts_)},
      {"iterations", static_cast<double>(c.iterations)},
      {"expansions", static_cast<double>(c.expansions)},
      {"closed_by_purification", static_cast<double>(c.closed_by_purification)},
      {"pruned_splits", static_cast<double>(c.pruned_splits)},
      {"memo_hits", static_cast<double>(c.memo_hits)},
      {"branches", static_cast<double>(search_.branches())},
      {"evicted_branches", static_cast<double>(search_.evicted())},
      {"window_rows", static_cast<double>(window_.size())},
      {"objective", started ? static_cast<double>(search_.upper()) / unit : 1.0},
      {"lower_bound", started ? static_cast<double>(search_.lower()) / unit : 0.0},
  };
}

std::string OnlineBranches::save() {
  Writer writer;
  archive(writer);
  return writer.take();
}

void OnlineBranches::load(std::string_view bytes) {
  Reader reader(bytes);
  archive(reader);
  reader.finish();
}

}  // namespace treeproof::stream
