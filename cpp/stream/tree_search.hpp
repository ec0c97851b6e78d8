// UCDT, EGDT and TSDT (thesis, Chapters 5 and 6): Monte Carlo tree search over whole
// decision trees, fed by a stream.
//
// A simulation selects a tree by walking from the single leaf along the policy's moves until
// it stops or tries a split for the first time, observes m rows in that tree, and propagates
// values back along its way. The tree proposed is the best one that was tried, with the
// splits that its leaves deserve beyond doubt.
//
// Four things differ from the thesis. First, the estimate of a new split is not fixed when its tree
// is expanded, but computed from the table of the leaf when it is needed: nothing is stored for
// splits that are never tried, and later estimates use all rows that the leaf has seen. Second,
// trees are valued with an outlook (`policy.hpp`). Third, every other simulation begins with a root
// split that was never tried, as long as there is one: greedy learners fail if the right first
// split gains nothing by itself, and so would a policy that has found something good elsewhere.
// Last, one simulation in eight tries a simpler neighbour of the proposed tree
// (`tree_outline.hpp`). The other simulations still follow the policy forever, and more rows only
// make estimates more precise, so the convergence proofs (Propositions 17, 18 and 22) remain valid;
// predictions do not suffer, because they come from the proposed tree.
#pragma once

#include <memory>
#include <unordered_map>

#include "stream/learner.hpp"
#include "stream/policy.hpp"
#include "stream/random.hpp"
#include "stream/search_state.hpp"
#include "stream/tree_outline.hpp"
#include "stream/working_tree.hpp"

namespace treeproof::stream {

enum class PolicyKind : std::uint8_t { upper_confidence, epsilon_greedy, thompson };

struct TreeSearchOptions {
  PolicyKind policy = PolicyKind::upper_confidence;
  double split_penalty = 0.01;
  std::int32_t samples_per_simulation = 100;
  double gamma = 0.1;
  bool clark = false;
  std::int32_t numeric_bins = 16;
  std::int32_t binning_rows = 200;  // rows a numeric column's quantiles are taken from
  std::size_t memory_limit = 0;     // bytes; 0: none
  std::uint64_t seed = 0;
};

class TreeSearch final : public Learner {
 public:
  explicit TreeSearch(const TreeSearchOptions& options);

  void grow(const Schema& schema) override;
  void learn(Row codes, std::span<const double> numbers, std::int32_t label,
             double weight) override;
  void restart(std::int64_t recent) override;
  void reweight(std::int64_t recent, double factor) override;
  bool settle(std::int64_t steps) override;
  bool finished() const override { return false; }
  std::size_t bytes() const override { return table_.bytes() + state_bytes_; }
  Statistics statistics() const override;
  std::string save() override;
  void load(std::string_view bytes) override;

 private:
  // A state on the way and the split that was made there; none at the last one.
  struct Step {
    std::int32_t state = 0;
    std::int32_t leaf = -1;  // statistics of the leaf that was split
    Split split;
    template <class Archive>
    void archive(Archive& a) {
      a(state, leaf, split);
    }
  };
  struct Pending {  // a row that waits for its numbers to be binned
    std::vector<Code> codes;
    std::vector<double> numbers;
    std::int32_t label = 0;
    double weight = 1.0;
    template <class Archive>
    void archive(Archive& a) {
      a(codes, numbers, label, weight);
    }
  };
  template <class Archive>
  void archive(Archive& a);

  void observe(Row codes, std::span<const double> numbers, std::int32_t label, double weight);
  bool all_binned() const;
  void bin_numbers();
  void forget();
  void begin_simulation();
  void select();
  void select_raised();
  std::int32_t advance(std::int32_t state, std::int32_t leaf, const Split& split);
  void rebuild_tree_in_hand();
  void end_simulation();
  std::int32_t state_for(std::uint64_t hash);
  void propagate();
  void propose();
  StreamTreeDraft draft(const WorkingTree& tree, std::int32_t node) const;
  double root_weight() const;
  // What an eviction keeps, by number.
  struct Marks {
    std::vector<bool> wanted, reached;  // states
    std::vector<bool> tables;
  };
  void evict();
  std::vector<bool> most_visited(double share) const;
  void mark_from(std::int32_t state, const WorkingTree& tree, Marks& marks);
  void keep_states(const std::vector<bool>& kept, const std::vector<std::int32_t>& table_number);

  TreeSearchOptions options_;
  std::unique_ptr<Policy> policy_;
  Random random_;
  StatisticsTable table_;
  std::vector<State> states_;
  std::unordered_map<std::uint64_t, std::int32_t> state_of_;
  std::size_t state_bytes_ = 0;
  WorkingTree tree_in_hand_;
  std::vector<Step> path_;
  TreeOutline proposed_;
  std::int64_t raises_ = 0;
  bool simulating_ = false;
  std::int32_t observed_ = 0;  // rows in the running simulation
  std::int64_t seen_ = 0;
  std::int64_t simulations_ = 0;
  std::int64_t evictions_ = 0;
  std::vector<NumericBins> bins_;
  std::vector<std::uint8_t> binned_;  // per ordered column: its quantiles are taken
  std::vector<Pending> pending_;
  std::vector<Code> row_;
};

}  // namespace treeproof::stream
