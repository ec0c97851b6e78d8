// The common interface of the four online learners: they grow with the schema of the stream, learn
// one row at a time, propose a tree, and can forget old rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stream/numeric_bins.hpp"
#include "stream/schema.hpp"
#include "stream/stream_tree.hpp"

namespace treeproof::stream {

using Statistics = std::vector<std::pair<std::string, double>>;

class Learner {
 public:
  virtual ~Learner() = default;

  // Adds new columns, codes or classes. For an ordered column only its existence is given: its
  // codes are the bins that the learner makes.
  virtual void grow(const Schema& schema) = 0;

  // Learns one row: a code per column (anything at ordered columns), the raw values of the
  // ordered columns (NaN: missing), a class, a positive weight.
  virtual void learn(Row codes, std::span<const double> numbers, std::int32_t label,
                     double weight) = 0;

  // The class the current tree predicts, -1 before anything was learnt.
  std::int32_t predict(Row codes, std::span<const double> numbers) const;
  // The node of `tree()` that answers for a row.
  std::int32_t find(Row codes, std::span<const double> numbers) const;

  const StreamTree& tree() const { return tree_; }
  // The bins that the tree's ordered literals speak of, one per ordered column.
  const std::vector<NumericBins>& tree_bins() const { return tree_bins_; }

  // Starts again, keeping only the newest `recent` rows (0: nothing).
  virtual void restart(std::int64_t recent) = 0;
  // Starts the search again, with everything older than `recent` rows at `factor` weight.
  virtual void reweight(std::int64_t recent, double factor) = 0;

  // Continues the search without new rows, for at most `steps` steps; returns whether nothing is
  // left to do.
  virtual bool settle(std::int64_t steps) = 0;

  virtual bool finished() const = 0;
  virtual std::size_t bytes() const = 0;
  virtual Statistics statistics() const = 0;
  virtual std::string save() = 0;
  virtual void load(std::string_view bytes) = 0;

 protected:
  template <class Archive>
  void archive_base(Archive& a) {
    a(tree_, tree_bins_, schema_, ordered_, number_of_);
  }
  // Takes over a larger schema, except for the codes of ordered columns; new ordered columns
  // begin with one bin and the missing code.
  void grow_schema(const Schema& schema);
  // Before there is a tree: a leaf that counts classes. A tree with splits stays as it is.
  void count_in_leaf(std::int32_t label, double weight);

  StreamTree tree_;
  std::vector<NumericBins> tree_bins_;
  Schema schema_;
  std::vector<std::int32_t> ordered_;    // the ordered columns
  std::vector<std::int32_t> number_of_;  // per column: its place among them, or -1
};

}  // namespace treeproof::stream
