// Optimal trees with a penalty and without a narrow depth limit: proofs are shared between cuts.
//
// A tree cheaper than k penalties has fewer than k splits. With a penalty, the search is therefore
// not for deep trees but for trees with few splits, most of which cut off one leaf after another:
// "a leaf, and a tree for the rest that costs less than a target". Two neighbouring cuts of this
// kind leave almost the same rest, and their proofs repeat each other. Hence the ideas of this
// search:
//
//   common rows  To show that several sets of rows cost a target each, show it once for the
//                rows that all of them have (common_rows_batch.cpp). More rows cost no less.
//   witnesses    If that fails, the cheap tree that was found says which sets must not be
//                tried together, and which ones not at all (costly_sets.hpp).
//   costly sets  What has been proved for some rows is remembered and serves every set that
//                holds them, wherever in the search (costly_sets.hpp).
//   staircases   Cuts with a leaf on one side are few: common_rows_cuts.hpp.
//   two splits   Subproblems that afford two splits take microseconds: two_splits.hpp.
//
// Threads share the outermost subproblem: each takes a batch of its groups, solves it without the
// lock, and passes on to the others what it has proved (common_rows_exchange.hpp).
//
// Groups of cuts that cannot be settled together are halved, down to single cuts, which are solved
// exactly. The target of the whole subproblem is raised by one penalty at a time, so that the bound
// rises while the search runs. With separate proofs for each cut (best_first/staged.hpp), breast
// cancer (569 rows, 30 features, penalty 0.01) was not solved in minutes; here it takes seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "search/exchange.hpp"
#include "search/threshold/answer.hpp"
#include "search/threshold/depth_two/stump.hpp"
#include "search/threshold/depth_two/terminal.hpp"
#include "search/threshold/price_bound.hpp"
#include "search/threshold/shared_proofs/common_rows_cuts.hpp"
#include "search/threshold/shared_proofs/common_rows_exchange.hpp"
#include "search/threshold/shared_proofs/costly_sets.hpp"
#include "search/threshold/shared_proofs/two_splits.hpp"
#include "search/threshold/task.hpp"
#include "search/threshold/threads/crew.hpp"

namespace treeproof::threshold {

class CommonRowsSearch {
 public:
  CommonRowsSearch(const Context<Misclassification>& context, ClassTerminal& terminal,
                   StumpSolver<Misclassification>& stumps, std::span<const Weight> weights);

  using Progress = std::function<void(Cost lower, Cost upper, bool better_tree)>;
  void set_progress(Progress progress) { progress_ = std::move(progress); }

  // Other searches for the same problem, or null.
  void set_exchange(Exchange<Cost>* exchange) { others_ = exchange; }

  // Threads that share the outermost subproblem.
  void set_crew(Crew<Misclassification, ClassTerminal>* crew) { crew_ = crew; }

  // Whether this search can solve the task, for which a tree of cost `best` is known, and is the
  // better search for it. A minimum leaf size would need other bounds. If the penalty is so small
  // that trees with many splits pay off, there is little to share.
  static bool suits(const Context<Misclassification>& context, const Task<Cost>& task, Cost best);

  // Starts from a known tree.
  Answer<Cost> solve(const Task<Cost>& task, Answer<Cost> incumbent);

  // Raises a lower bound for the task up to `upper`, and ends as soon as a tree below it is found.
  Cost prove(const Task<Cost>& task, Cost upper);

 private:
  struct Node {
    const RowSubset* rows;
    int depth;  // of the children
    bool any;   // any tree below the cut-off is sufficient
    std::size_t level;
    Answer<Cost> answer;
    std::vector<FeatureCuts> features;
    std::vector<CutGroup> groups;
    std::vector<CutGroup> halves;       // groups that replace others
    std::size_t batch_limit = 1 << 10;  // groups to try together
    Gate* gate = nullptr;               // null: one thread
    bool better = false;                // the tree is better than the last one told
    bool listed = false;                // all cuts are in `groups`, or were ruled out
    Cost proved = kInfiniteCost;        // least bound by which a cut was ruled out or closed

    FeatureCuts& cuts(const CutGroup& group) {
      return features[static_cast<std::size_t>(group.feature)];
    }
    bool done() const { return any && answer.found; }
    // Cuts that cost at least this much are closed.
    void close(Cost bound) { proved = std::min(proved, bound); }
  };

  Cost penalty() const { return context_->settings.split_cost; }
  // The maximum number of splits of a tree cheaper than `best`.
  int affordable(Cost best) const;
  // Whether trees with two splits suffice to settle this target.
  bool shallow(Cost target) const { return target <= (ClassTerminal::kDepth + 1) * penalty(); }
  CostlySets& costly_sets_for(Cost target) { return shallow(target) ? shallow_sets_ : deep_sets_; }
  bool stopped() const { return context_->limits->reason() != StopReason::none; }

  // Returns the optimum if it is below the cut-off, or with `any` some tree below it. If there is
  // no such tree, `lower` of the answer is the cut-off; it is 0 if nothing was proved.
  Answer<Cost> solve_node(const RowSubset& rows, Cost cutoff, int depth, bool any,
                          std::size_t level);
  void look_ahead(Node& node);
  void price_cuts(const RowSubset& rows, std::int32_t f, FeatureCuts& cuts);
  void work(Node& node);
  // common_rows_share.cpp: threads at one node.
  void share(Node& node);
  void take_turns(Node& node);
  void ask_all(Node& node);
  template <class Compute>
  auto apart(const Node& node, Compute compute) {
    return node.gate == nullptr ? compute() : gate_hold_->apart(compute);
  }
  void hear();
  void hear_others(Answer<Cost>& answer) const;
  void await(Node& node);
  void tell(Node& node);
  void improve(Node& node, Cost cost, SplitTree tree);

  // common_rows_ask.cpp: finds out what a group needs to be settled. False if it is settled or was
  // halved.
  bool asks_still(Node& node, CutGroup& group);
  bool ask(Node& node, CutGroup& group);
  bool ask_step(Node& node, CutGroup& group);
  bool ask_cut(Node& node, CutGroup& group);
  bool ask_side(Node& node, CutGroup& group, const KnownSide& left, const KnownSide& right,
                Cost least);
  void halve(Node& node, const CutGroup& group);
  bool request(Node& node, CutGroup& group, Part part, std::uint32_t position, Cost target,
               bool exact);
  void side_mask(const Node& node, const CutGroup& group, Part part, std::uint32_t position,
                 RowMask& mask) const;

  // common_rows_batch.cpp: answering the requests of groups.
  class Taken;
  bool run_batch(Node& node);
  bool settle_one(Node& node);
  std::vector<std::size_t> choose(const Node& node) const;
  std::vector<std::size_t> pack(Node& node, std::vector<std::size_t> order, RowMask& common);
  void record_tree(Node& node, const CutGroup& group, const Answer<Cost>& answer);
  void settle(Node& node, const CutGroup& group);
  Answer<Cost> solve_rows(Node& parent, const RowMask& mask, Cost cutoff, bool any);
  bool try_two_splits(const Node& parent, const RowMask& mask, Cost cutoff, bool any,
                      Answer<Cost>& answer);
  void add_costly_set(RowMask rows, Cost lower, int depth);
  void add_witness(const RowMask& rows, const SplitTree& tree);
  void check_memory();

  const Context<Misclassification>* context_;
  ClassTerminal* terminal_;
  StumpSolver<Misclassification>* stumps_;
  CutLister lister_;
  TwoSplits two_splits_;
  PriceBound prices_;
  PriceSums price_sums_;
  CostlySets deep_sets_;     // of subproblems that take long
  CostlySets shallow_sets_;  // of those that trees of two splits settle
  Witnesses witnesses_;
  Partitioner partitioner_;
  std::deque<RowSubset> levels_;
  Progress progress_;
  Exchange<Cost>* others_ = nullptr;
  Crew<Misclassification, ClassTerminal>* crew_ = nullptr;
  GateHold* gate_hold_ = nullptr;          // at the outermost node
  CostlySetExchange* exchange_ = nullptr;  // null: one thread
  std::size_t heard_ = 0;
  std::span<const Weight> weights_;
};

}  // namespace treeproof::threshold
