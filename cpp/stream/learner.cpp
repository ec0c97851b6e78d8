#include "stream/learner.hpp"

#include <algorithm>

namespace treeproof::stream {

void Learner::grow_schema(const Schema& schema) {
  schema_.n_classes = schema.n_classes;
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    if (c == schema_.columns.size()) {
      schema_.columns.push_back(schema.columns[c]);
      if (schema.columns[c].kind == ColumnKind::ordered) {
        schema_.columns[c].n_codes = NumericBins{}.n_codes();
        schema_.columns[c].missing = NumericBins{}.missing();
        number_of_.push_back(static_cast<std::int32_t>(ordered_.size()));
        ordered_.push_back(static_cast<std::int32_t>(c));
      } else {
        number_of_.push_back(-1);
      }
    } else if (schema.columns[c].kind == ColumnKind::multiway) {
      schema_.columns[c] = schema.columns[c];
    }
  }
}

void Learner::count_in_leaf(std::int32_t label, double weight) {
  if (tree_.n_splits() > 0) return;
  StreamTreeDraft leaf;
  leaf.weight.assign(static_cast<std::size_t>(schema_.n_classes), 0.0);
  if (tree_.n_classes > 0) std::ranges::copy(tree_.class_weights(0), leaf.weight.begin());
  leaf.weight[static_cast<std::size_t>(label)] += weight;
  tree_ = flatten(leaf, schema_.n_classes);
}

std::int32_t Learner::find(Row codes, std::span<const double> numbers) const {
  return tree_.find([&](std::int32_t column) {
    const auto c = static_cast<std::size_t>(column);
    if (number_of_[c] < 0) return codes[c];
    const auto j = static_cast<std::size_t>(number_of_[c]);
    return tree_bins_[j].code(numbers[j]);
  });
}

std::int32_t Learner::predict(Row codes, std::span<const double> numbers) const {
  return tree_.majority(find(codes, numbers));
}

}  // namespace treeproof::stream
