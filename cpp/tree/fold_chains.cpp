#include "tree/fold_chains.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "core/index.hpp"

namespace treeproof {
namespace {

using TableRows = std::vector<std::size_t>;

class Folder {
 public:
  Folder(std::span<const Feature> features, std::span<const std::int32_t> codes)
      : codes_(codes), n_rows_(features.empty() ? 0 : codes.size() / features.size()) {
    multiway_.assign(features.size(), -1);
    for (std::size_t f = 1; f < features.size(); ++f) {
      const bool pair = features[f].kind == FeatureKind::one_vs_rest &&
                        features[f - 1].kind == FeatureKind::multiway &&
                        std::ranges::equal(column(f - 1), column(f));
      if (pair) multiway_[f] = static_cast<std::int32_t>(f - 1);
    }
  }

  bool has_pairs() const {
    return std::ranges::any_of(multiway_, [](std::int32_t f) { return f >= 0; });
  }

  TableRows all_rows() const {
    TableRows rows(n_rows_);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }

  void fold(SplitTree& node, const TableRows& rows) const {
    if (node.leaf()) return;
    fold_here(node, rows);
    const auto codes = column(index(node.feature));
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      TableRows part;
      std::ranges::copy_if(rows, std::back_inserter(part), [&](std::size_t r) {
        return outcome(node, codes[r]) == node.outcomes[k];
      });
      fold(node.children[k], part);
    }
  }

 private:
  std::span<const std::int32_t> column(std::size_t f) const {
    return codes_.subspan(f * n_rows_, n_rows_);
  }

  static std::int32_t outcome(const SplitTree& node, std::int32_t code) {
    switch (node.kind) {
      case TestKind::threshold: return code <= node.code ? 0 : 1;
      case TestKind::equals: return code == node.code ? 0 : 1;
      case TestKind::multiway: return code;
    }
    return 0;
  }

  // Folds the chain that begins at a node, if a single category is left at its end or its last node
  // is a multiway split.
  void fold_here(SplitTree& node, const TableRows& rows) const {
    const std::int32_t feature = node.feature;
    if (node.kind != TestKind::equals || multiway_[index(feature)] < 0) return;
    const auto codes = column(index(feature));
    std::vector<std::pair<std::int32_t, SplitTree*>> parts;
    SplitTree* rest = &node;
    TableRows left = rows;
    while (!rest->leaf() && rest->kind == TestKind::equals && rest->feature == feature) {
      const std::size_t yes = rest->outcomes[0] == 0 ? 0 : 1;
      parts.emplace_back(rest->code, &rest->children[yes]);
      std::erase_if(left, [&](std::size_t r) { return codes[r] == parts.back().first; });
      rest = &rest->children[1 - yes];
    }
    const bool one = !left.empty() && std::ranges::all_of(left, [&](std::size_t r) {
      return codes[r] == codes[left.front()];
    });
    if (rest->feature == multiway_[index(feature)]) {
      for (std::size_t k = 0; k < rest->children.size(); ++k)
        parts.emplace_back(rest->outcomes[k], &rest->children[k]);
    } else if (one) {
      parts.emplace_back(codes[left.front()], rest);
    } else {
      return;
    }
    if (parts.size() < 3) return;
    std::ranges::sort(parts, {}, &std::pair<std::int32_t, SplitTree*>::first);
    SplitTree wide;
    wide.feature = multiway_[index(feature)];
    wide.kind = TestKind::multiway;
    for (auto& [code, tree] : parts) {
      wide.outcomes.push_back(code);
      wide.children.push_back(std::move(*tree));
    }
    node = std::move(wide);
  }

  std::span<const std::int32_t> codes_;
  std::size_t n_rows_;
  std::vector<std::int32_t> multiway_;  // for each column, the number of its multiway copy; or -1
};

}  // namespace

void fold_chains(SplitTree& tree, std::span<const Feature> features,
                 std::span<const std::int32_t> codes) {
  const Folder folder(features, codes);
  if (!tree.leaf() && folder.has_pairs()) folder.fold(tree, folder.all_rows());
}

}  // namespace treeproof
