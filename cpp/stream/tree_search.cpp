#include "stream/tree_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/index.hpp"
#include "stream/archive.hpp"

namespace treeproof::stream {
namespace {

constexpr std::int64_t kRaiseEvery = 8;  // simulations; an even number

std::unique_ptr<Policy> make_policy(const TreeSearchOptions& o) {
  switch (o.policy) {
    case PolicyKind::upper_confidence: return upper_confidence_policy(o.gamma);
    case PolicyKind::epsilon_greedy: return epsilon_greedy_policy(o.gamma);
    case PolicyKind::thompson: return thompson_policy(o.gamma, o.clark);
  }
  return nullptr;
}

void rescale(std::vector<double>& weights, double total) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum <= 0.0) return;
  for (double& w : weights) w *= total / sum;
}

}  // namespace

TreeSearch::TreeSearch(const TreeSearchOptions& options)
    : options_(options), policy_(make_policy(options)), random_(options.seed),
      table_(options.policy == PolicyKind::thompson ? Estimator::posterior : Estimator::frequency) {
  table_.set_layout(schema_);
}

void TreeSearch::grow(const Schema& schema) {
  grow_schema(schema);
  bins_.resize(ordered_.size());
  binned_.resize(ordered_.size(), 0);
  table_.set_layout(schema_);
  rebuild_tree_in_hand();
}

void TreeSearch::learn(Row codes, std::span<const double> numbers, std::int32_t label,
                       double weight) {
  ++seen_;
  // Until the first simulation ends, the proposal is a leaf with the classes so far.
  if (simulations_ == 0) count_in_leaf(label, weight);
  if (all_binned()) {
    observe(codes, numbers, label, weight);
    return;
  }
  // Rows are held back until the first bins are known; a numeric column that appears later has no
  // thresholds until enough of its values are known.
  const bool waiting = !simulating_;
  pending_.push_back(
      {{codes.begin(), codes.end()}, {numbers.begin(), numbers.end()}, label, weight});
  if (!waiting) observe(codes, numbers, label, weight);
  if (static_cast<std::int32_t>(pending_.size()) < options_.binning_rows) return;
  bin_numbers();
  const std::vector<Pending> rows = std::move(pending_);
  pending_.clear();
  for (const Pending& row : rows) {
    if (!waiting) break;
    std::vector<Code> full = row.codes;
    for (std::size_t c = full.size(); c < schema_.columns.size(); ++c)
      full.push_back(static_cast<Code>(std::max(0, schema_.columns[c].missing)));
    std::vector<double> values = row.numbers;
    values.resize(ordered_.size(), std::numeric_limits<double>::quiet_NaN());
    observe(full, values, row.label, row.weight);
  }
}

bool TreeSearch::all_binned() const {
  return std::ranges::all_of(binned_, [](std::uint8_t b) { return b != 0; });
}

void TreeSearch::bin_numbers() {
  for (std::size_t j = 0; j < ordered_.size(); ++j) {
    if (binned_[j]) continue;
    std::vector<double> values;
    for (const Pending& row : pending_)
      if (j < row.numbers.size()) values.push_back(row.numbers[j]);
    bins_[j] = quantile_bins(std::move(values), options_.numeric_bins);
    binned_[j] = 1;
    Column& column = schema_.columns[index(ordered_[j])];
    column.n_codes = bins_[j].n_codes();
    column.missing = bins_[j].missing();
  }
  table_.set_layout(schema_);
  tree_bins_.resize(bins_.size());
  for (std::size_t j = 0; j < bins_.size(); ++j)
    if (tree_.n_splits() == 0) tree_bins_[j] = bins_[j];
  rebuild_tree_in_hand();
}

void TreeSearch::observe(Row codes, std::span<const double> numbers, std::int32_t label,
                         double weight) {
  if (!simulating_) begin_simulation();
  row_.assign(codes.begin(), codes.end());
  for (std::size_t j = 0; j < ordered_.size(); ++j)
    row_[index(ordered_[j])] = bins_[j].code(numbers[j]);
  tree_in_hand_.observe(table_, row_, label, static_cast<float>(weight));
  if (++observed_ >= options_.samples_per_simulation) end_simulation();
}

std::int32_t TreeSearch::state_for(std::uint64_t hash) {
  const auto [at, is_new] = state_of_.try_emplace(hash, static_cast<std::int32_t>(states_.size()));
  if (is_new) {
    states_.emplace_back();
    states_.back().hash = hash;
    state_bytes_ += states_.back().bytes();
  }
  return at->second;
}

void TreeSearch::begin_simulation() {
  simulating_ = true;
  observed_ = 0;
  path_.clear();
  tree_in_hand_.reset(table_);
  if (simulations_ % kRaiseEvery == kRaiseEvery / 2 - 1 && proposed_.n_raised() > 0) {
    select_raised();
  } else {
    select();
  }
}

// Selection: from the single leaf along the policy's moves to a tree to be simulated.
void TreeSearch::select() {
  std::int32_t at = state_for(tree_in_hand_.hash());
  for (;;) {
    // A tree that was never simulated is simulated as it is.
    if (states_[index(at)].last_visit == 0) {
      path_.push_back({at, -1, {}});
      return;
    }
    const Situation situation(states_[index(at)], tree_in_hand_, table_, states_,
                              options_.split_penalty);
    const bool explore = path_.empty() && simulations_ % 2 == 0 && situation.n_fresh() > 0;
    Estimate estimate;
    const Move move =
        explore ? situation.best_fresh(estimate) : policy_->choose(situation, random_);
    if (move.kind == Move::Kind::stop) {
      path_.push_back({at, -1, {}});
      ++states_[index(at)].stop_visits;
      return;
    }
    if (move.kind == Move::Kind::known) {
      const Edge edge = states_[index(at)].edges[move.edge];
      at = advance(at, tree_in_hand_.leaf_with(edge.leaf), edge.split);
    } else {
      at = advance(at, move.leaf, move.split);
    }
  }
}

// Selection of the next raised tree; where no row has been yet, it ends in a leaf.
void TreeSearch::select_raised() {
  const auto k = static_cast<std::size_t>(raises_++) % proposed_.n_raised();
  std::int32_t at = state_for(tree_in_hand_.hash());
  std::vector<std::pair<std::int32_t, std::int32_t>> todo{{0, 0}};  // (outline, tree) nodes
  while (!todo.empty()) {
    const std::int32_t model = proposed_.in_place_of(todo.back().first, k);
    const std::int32_t leaf = todo.back().second;
    todo.pop_back();
    const Split split = proposed_.split(model);
    const WorkingNode& node = tree_in_hand_.nodes()[index(leaf)];
    if (!split.exists() || node.statistics < 0) continue;
    if (!can_split(node.branch, split, schema_)) continue;
    at = advance(at, leaf, split);
    const WorkingNode& made = tree_in_hand_.nodes()[index(leaf)];
    for (std::int32_t i = 0; i < made.n_children; ++i)
      if (proposed_.child(model, i) >= 0)
        todo.emplace_back(proposed_.child(model, i), made.first_child + i);
  }
  path_.push_back({at, -1, {}});
  ++states_[index(at)].stop_visits;
}

// Splits a leaf of the current tree and goes to the state to which this leads.
std::int32_t TreeSearch::advance(std::int32_t at, std::int32_t leaf, const Split& split) {
  const std::int32_t own = tree_in_hand_.nodes()[index(leaf)].statistics;
  path_.push_back({at, own, split});
  tree_in_hand_.apply(table_, leaf, split);
  for (const Edge& edge : states_[index(at)].edges)
    if (edge.leaf == own && edge.split == split) return edge.state;
  const Edge edge{own, split, state_for(tree_in_hand_.hash())};
  State& from = states_[index(at)];
  state_bytes_ -= from.bytes();
  from.edges.push_back(edge);
  state_bytes_ += from.bytes();
  return edge.state;
}

// After the schema has grown, the current tree needs children for the new codes.
void TreeSearch::rebuild_tree_in_hand() {
  if (!simulating_) return;
  tree_in_hand_.reset(table_);
  for (const Step& step : path_)
    if (step.split.exists())
      tree_in_hand_.apply(table_, tree_in_hand_.leaf_with(step.leaf), step.split);
}

void TreeSearch::end_simulation() {
  ++simulations_;
  simulating_ = false;
  propagate();
  propose();
  if (options_.memory_limit > 0 && bytes() > options_.memory_limit) evict();
}

void TreeSearch::propagate() {
  // Downwards: the value of each tree on the path by its own leaves, including the new rows.
  std::vector<Estimate> own;
  std::vector<double> proposed;
  WorkingTree tree;
  tree.reset(table_);
  for (const Step& step : path_) {
    const Situation situation(states_[index(step.state)], tree, table_, states_,
                              options_.split_penalty);
    own.push_back(policy_->stop_and_fresh(situation));
    proposed.push_back(situation.stop.mean + situation.surely);
    if (step.split.exists()) tree.apply(table_, tree.leaf_with(step.leaf), step.split);
  }
  // Upwards: the value that includes the trees further on.
  for (std::size_t k = path_.size(); k-- > 0;) {
    State& state = states_[index(path_[k].state)];
    Estimate value = own[k];
    double proposal = proposed[k];
    for (const Edge& edge : state.edges) {
      const State& next = states_[index(edge.state)];
      value = policy_->fold(value, {next.value.mean - options_.split_penalty, next.value.variance});
      proposal = std::max(proposal, next.proposal - options_.split_penalty);
    }
    state.value = value;
    state.proposal = proposal;
    ++state.visits;
    state.last_visit = simulations_;
  }
}

// Unrolls the best proposals from the root.
void TreeSearch::propose() {
  WorkingTree tree;
  tree.reset(table_);
  for (std::int32_t at = 0;;) {
    const State& state = states_[index(at)];
    const Situation situation(state, tree, table_, states_, options_.split_penalty);
    const Edge* best = nullptr;
    double value = situation.stop.mean + situation.surely;
    for (const Edge& edge : state.edges) {
      const double candidate = states_[index(edge.state)].proposal - options_.split_penalty;
      if (candidate > value) {
        value = candidate;
        best = &edge;
      }
    }
    if (best == nullptr) {
      for (const auto& [leaf, split] : situation.sure_splits()) tree.apply(table_, leaf, split);
      break;
    }
    tree.apply(table_, tree.leaf_with(best->leaf), best->split);
    at = best->state;
  }
  proposed_.assign(tree);
  tree_ = flatten(draft(tree, 0), schema_.n_classes);
  tree_bins_ = bins_;
}

// Class weights are shares of the rows the root has seen, so that they add up in the tree
// although every table has counted rows of its own.
StreamTreeDraft TreeSearch::draft(const WorkingTree& tree, std::int32_t at) const {
  const WorkingNode& node = tree.nodes()[index(at)];
  StreamTreeDraft out;
  out.split = node.split;
  if (node.statistics >= 0) {
    const auto& classes = table_[node.statistics].classes();
    out.weight.assign(classes.begin(), classes.end());
  }
  for (std::int32_t k = 0; k < node.n_children; ++k) {
    const WorkingNode& child = tree.nodes()[index(node.first_child + k)];
    // A category that never occurred here has no child: its rows stop at this node.
    if (child.probability <= 0.0) continue;
    out.literal.push_back(child.literal);
    out.children.push_back(draft(tree, node.first_child + k));
    if (child.statistics < 0) {
      const auto classes = table_[node.statistics].child_classes(child.literal);
      rescale(out.children.back().weight = classes, root_weight() * child.probability);
    }
  }
  rescale(out.weight, root_weight() * node.probability);
  return out;
}

double TreeSearch::root_weight() const { return table_[table_.find(Branch{})].n(); }

// Drops the least visited states, and the tables that only they used, until half of the memory is
// free. A dropped tree that is tried again later starts with the tables that are left.
void TreeSearch::evict() {
  ++evictions_;
  for (double share = 0.5; bytes() > options_.memory_limit / 2 && states_.size() > 1; share /= 2) {
    Marks marks{most_visited(share), std::vector<bool>(states_.size(), false),
                std::vector<bool>(table_.size(), false)};
    WorkingTree root;
    root.reset(table_);
    mark_from(0, root, marks);
    keep_states(marks.reached, table_.keep(marks.tables));
  }
}

// A share of the states, and the single leaf.
std::vector<bool> TreeSearch::most_visited(double share) const {
  std::vector<std::int32_t> order(states_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) {
    const State& x = states_[index(a)];
    const State& y = states_[index(b)];
    return x.visits != y.visits ? x.visits > y.visits : x.last_visit > y.last_visit;
  });
  const auto wanted = static_cast<std::size_t>(share * static_cast<double>(states_.size()));
  std::vector<bool> marked(states_.size(), false);
  for (std::size_t k = 0; k < std::max<std::size_t>(1, wanted); ++k) marked[index(order[k])] = true;
  marked[0] = true;
  return marked;
}

// Walks from a state, whose tree is given, along wanted states, and marks the tables of their
// trees.
void TreeSearch::mark_from(std::int32_t at, const WorkingTree& tree, Marks& marks) {
  marks.reached[index(at)] = true;
  for (const WorkingNode& node : tree.nodes())
    if (node.statistics >= 0) marks.tables[index(node.statistics)] = true;
  for (const Edge& edge : states_[index(at)].edges) {
    if (!marks.wanted[index(edge.state)] || marks.reached[index(edge.state)]) continue;
    WorkingTree next = tree;
    next.apply(table_, next.leaf_with(edge.leaf), edge.split);
    mark_from(edge.state, next, marks);
  }
}

// Drops all other states; tables get new numbers.
void TreeSearch::keep_states(const std::vector<bool>& kept,
                             const std::vector<std::int32_t>& table_number) {
  std::vector<std::int32_t> state_number(states_.size(), -1);
  std::vector<State> states;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (!kept[i]) continue;
    state_number[i] = static_cast<std::int32_t>(states.size());
    states.push_back(std::move(states_[i]));
  }
  states_ = std::move(states);
  state_of_.clear();
  state_bytes_ = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    State& state = states_[i];
    std::erase_if(state.edges, [&](const Edge& e) { return state_number[index(e.state)] < 0; });
    state.edges.shrink_to_fit();
    for (Edge& edge : state.edges) {
      edge.state = state_number[index(edge.state)];
      edge.leaf = table_number[index(edge.leaf)];
    }
    state_of_.emplace(state.hash, static_cast<std::int32_t>(i));
    state_bytes_ += state.bytes();
  }
}

void TreeSearch::forget() {
  states_.clear();
  state_of_.clear();
  state_bytes_ = 0;
  simulating_ = false;
  observed_ = 0;
  simulations_ = 0;
  proposed_.clear();
  pending_.clear();
  // The distribution of the numbers may have changed too, so their quantiles are recomputed.
  std::ranges::fill(binned_, std::uint8_t{0});
}

void TreeSearch::restart(std::int64_t) {
  forget();
  table_.clear();
}

void TreeSearch::reweight(std::int64_t, double factor) {
  states_.clear();
  state_of_.clear();
  state_bytes_ = 0;
  simulating_ = false;
  table_.scale(static_cast<float>(factor));
}

bool TreeSearch::settle(std::int64_t) { return true; }

Statistics TreeSearch::statistics() const {
  return {
      {"samples", static_cast<double>(seen_)},
      {"simulations", static_cast<double>(simulations_)},
      {"raised_trees", static_cast<double>(raises_)},
      {"states", static_cast<double>(states_.size())},
      {"branches", static_cast<double>(table_.size())},
      {"evictions", static_cast<double>(evictions_)},
  };
}

template <class Archive>
void TreeSearch::archive(Archive& a) {
  archive_base(a);
  a(random_, table_, states_, state_bytes_, path_, proposed_, raises_, simulating_, observed_,
    seen_, simulations_, evictions_, bins_, binned_, pending_);
}

std::string TreeSearch::save() {
  Writer writer;
  archive(writer);
  return writer.take();
}

void TreeSearch::load(std::string_view bytes) {
  Reader reader(bytes);
  archive(reader);
  reader.finish();
  state_of_.clear();
  for (std::size_t i = 0; i < states_.size(); ++i)
    state_of_.emplace(states_[i].hash, static_cast<std::int32_t>(i));
  rebuild_tree_in_hand();
}

}  // namespace treeproof::stream
