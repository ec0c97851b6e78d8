#include "search/threshold/depth_two/fine_bins.hpp"

#include <algorithm>

namespace treeproof::threshold {

template <class T>
void FineBins<T>::divide(const Columns& columns, const ColumnCodes& codes, const SubsetBins& bins,
                         const RowSubset& rows, std::size_t channels) {
  constexpr std::size_t kBins = SubsetBins::kMaxBins;
  constexpr std::size_t kRows = 8;                             // of a part
  constexpr std::size_t kMostParts = sizeof(T) > 4 ? 16 : 32;  // what fits into the cache
  lanes_ = codes.features.size();
  n_parts_ = std::clamp<std::size_t>(rows.size() / (kBins * kRows), 2, kMostParts);
  channels_ = channels;
  parts_.resize(std::size_t{rows.size()} * lanes_);
  starts_.resize(lanes_ * (kBins * n_parts_ + 1));
  window_.assign(lanes_ * kBins * n_parts_ * channels_, 0);
  for (std::size_t l = 0; l < lanes_; ++l) {
    const FeatureView view(columns, rows, codes.features[l]);
    const std::uint32_t* list = rows.list(codes.features[l]);
    const std::uint32_t* bin_starts = bins.starts(static_cast<int>(l));
    for (std::size_t b = 0; b < kBins; ++b) {
      const std::uint32_t from = bin_starts[b];
      const std::uint32_t to = bin_starts[b + 1];
      std::uint32_t k = from;
      for (std::size_t part = 0; part < n_parts_; ++part) {
        // A part starts with a new value, so that its start is a cut (or the start of the bin).
        const auto wish =
            from + static_cast<std::uint32_t>(std::uint64_t{to - from} * part / n_parts_);
        std::uint32_t from_here = std::max(k, wish);
        while (from_here > from && from_here < to && !view.boundary(from_here)) ++from_here;
        for (; k < from_here; ++k)
          parts_[list[k] * lanes_ + l] = static_cast<std::uint8_t>(part - 1);
        starts_[start(l, b) + part] = from_here;
      }
      for (; k < to; ++k) parts_[list[k] * lanes_ + l] = static_cast<std::uint8_t>(n_parts_ - 1);
    }
    starts_[start(l, kBins)] = rows.size();
  }
  ready_ = true;
}

template class FineBins<std::int32_t>;
template class FineBins<double>;

}  // namespace treeproof::threshold
