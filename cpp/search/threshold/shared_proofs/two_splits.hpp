// The best tree with at most two splits for two classes, if few errors are allowed.
//
// A tree with two splits has three leaves, so one class has a single leaf: a box that two literals
// cut out. Let the box predict class c, and let a literal put rows outside the box: a of class c
// (they become errors) and b of the other class (they become correct). With n rows of the other
// class in all, a box of the literals l and k makes at least n - (b_l + b_k) + max(a_l, a_k)
// errors. Moving a threshold until the next row of class c would fall outside can only help, so
// each feature, side and number of errors leaves one literal. The result is a short list, sorted by
// what each literal can contribute, of which few pairs need to be counted.
//
// On a few hundred rows this takes about ten microseconds, where the sweeps of depth_two.hpp take
// hundreds. It pays off as long as few errors are allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/row_mask.hpp"
#include "loss/misclassification.hpp"
#include "search/threshold/answer.hpp"
#include "search/threshold/first_tree/cut_by.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

class TwoSplits {
 public:
  explicit TwoSplits(const Context<Misclassification>& context) : context_(&context) {}

  // The best tree with at most two splits for those of `rows` that are in `mask`, if it costs less
  // than `cutoff`. Returns nothing if there are too many literals, or if a limit is reached.
  std::optional<Answer<Cost>> solve(const RowSubset& rows, const RowMask& mask, Cost cutoff);

 private:
  using Count = std::int64_t;
  static constexpr std::uint8_t kAbsent = 2;  // in place of a label: not in the mask
  static constexpr std::size_t kNoMask = ~std::size_t{0};
  static constexpr std::size_t kMostLiterals = 2048;
  static constexpr std::uint32_t kRowsPerMicrosecond = 200;
  static constexpr std::size_t kWordsPerMicrosecond = 1000;

  struct Literal {
    std::int32_t feature;
    TestKind kind;
    bool outside_yes;     // whether rows that pass the test fall outside the box
    std::uint32_t first;  // positions first .. last - 1 of the list fall outside, or inside
    std::uint32_t last;   //   where `outside_yes` is false and it is a category
    Count a;
    Count b;
    std::size_t mask = kNoMask;  // index of its rows outside, once they are needed
  };

  Cost penalty() const { return context_->settings.split_cost; }
  bool stop(std::uint32_t microseconds) const { return context_->limits->stop(microseconds); }
  void load(const RowMask& mask);
  bool list_literals();
  template <bool kForward>
  bool walk(std::int32_t f);
  bool list_categories(std::int32_t f);
  bool add(std::size_t box, const Literal& literal);
  void try_pairs(std::size_t box);
  const std::uint64_t* outside(Literal& literal);
  Count errors(std::size_t box, Literal& l, Literal& k, Count most);
  Count weigh(std::uint64_t bits, std::size_t word) const;
  SplitTree tree(const RowMask& mask) const;
  SplitTree node(const Literal& literal) const;
  // The maximum number of errors of a tree with this many splits that beats the best one; negative
  // if there is none.
  Count allowed(int splits) const {
    const Cost room = best_cost_ - splits * penalty() - 1;
    return room < 0 ? -1 : room >> kCostBits;
  }

  const Context<Misclassification>* context_;
  const RowSubset* rows_ = nullptr;
  std::size_t words_ = 0;
  bool unit_ = true;
  Count n_[2] = {0, 0};
  Count forced_ = 0;                 // errors that every tree makes, which costs leave out
  std::vector<std::uint8_t> label_;  // of local rows
  std::vector<Weight> weight_;
  std::vector<std::uint32_t> bit_;  // of local rows, in masks
  std::vector<Weight> bit_weight_;
  std::size_t start_[3] = {0, 0, 0};  // words of class 0, of class 1, end
  std::vector<std::uint64_t> masks_;
  std::size_t n_masks_ = 0;
  std::vector<Literal> literals_[2];
  Cost best_cost_ = 0;
  Count pair_errors_ = 0;  // most errors of a literal worth pairing
  bool found_ = false;
  int found_literals_ = 0;
  Literal found_first_{}, found_second_{};
};

}  // namespace treeproof::threshold
