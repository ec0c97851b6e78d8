// Bins divided into parts, for large sets whose exact scans take long.
//
// A scan visits the rows of every bin that may hold a better cut. In a set of a million rows, a bin
// holds thousands of rows, and where labels are noisy its bound is lower than all of its cuts by
// nearly as many errors, so scans visit most rows again and again. So once the scans of a set have
// visited many rows, each bin is divided into parts of equal size (up to ties, which stay
// together), and class weights or moments are kept for the parts, too. A scan then visits only
// parts whose own bounds leave something to gain. On 200,000 rows whose label is an exclusive or
// with noise, a solve of depth two takes a tenth of the time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/prefetch.hpp"
#include "data/columns.hpp"
#include "data/row_subset.hpp"
#include "search/threshold/depth_two/bins.hpp"

namespace treeproof::threshold {

// T: the type of class weights (integers) or moments (double).
template <class T>
class FineBins {
 public:
  // Forgets the parts, since the set of rows has changed.
  void clear() { ready_ = false; }
  bool ready() const { return ready_; }
  std::size_t n_parts() const { return n_parts_; }  // of each bin

  // True if scans of a set of `rows` rows that have visited `visited` rows would have been faster
  // with parts. Sets of fewer than `large` rows are not divided; 0 divides every set (for tests).
  static bool worthwhile(std::uint32_t rows, std::uint64_t visited, std::uint32_t large) {
    constexpr std::uint64_t kPasses = 4;  // dividing the bins takes about so many passes
    return large == 0 || (rows >= large && visited > kPasses * rows);
  }

  // Divides the bins of all lanes. The window is empty afterwards.
  void divide(const Columns& columns, const ColumnCodes& codes, const SubsetBins& bins,
              const RowSubset& rows, std::size_t channels);

  void prefetch_row(std::uint32_t local) const { prefetch(&parts_[std::size_t{local} * lanes_]); }
  // Lets `change` add to the channels of each part that a row is in.
  template <class Change>
  void add(std::uint32_t local, const std::uint8_t* row_bins, const Change& change) {
    const std::uint8_t* part = parts_.data() + std::size_t{local} * lanes_;
    for (std::size_t l = 0; l < lanes_; ++l)
      change(window_.data() + (index(l, row_bins[l]) + part[l]) * channels_);
  }
  // Makes the current contents of the window those of a window over all rows.
  void keep_total() { total_ = window_; }
  // Empties the window, or makes it hold all rows.
  void reset(bool full) {
    if (full) window_ = total_;
    else std::fill(window_.begin(), window_.end(), T{});
  }

  // Where the parts of a bin start in the list of the lane's feature; n_parts() + 1 entries.
  const std::uint32_t* starts(std::size_t lane, std::size_t bin) const {
    return starts_.data() + start(lane, bin);
  }
  // The channels of a part inside the window, and of all rows.
  const T* window(std::size_t lane, std::size_t bin, std::size_t part) const {
    return window_.data() + (index(lane, bin) + part) * channels_;
  }
  const T* total(std::size_t lane, std::size_t bin, std::size_t part) const {
    return total_.data() + (index(lane, bin) + part) * channels_;
  }

 private:
  std::size_t index(std::size_t lane, std::size_t bin) const {
    return (lane * SubsetBins::kMaxBins + bin) * n_parts_;
  }
  // The starts of a lane are followed by the end of its last bin.
  std::size_t start(std::size_t lane, std::size_t bin) const { return index(lane, bin) + lane; }

  bool ready_ = false;
  std::size_t lanes_ = 0;
  std::size_t n_parts_ = 1;
  std::size_t channels_ = 0;
  std::vector<std::uint8_t> parts_;    // [local row][lane]
  std::vector<std::uint32_t> starts_;  // [lane][bin][part]
  std::vector<T> window_, total_;      // [lane][bin][part][channel]
};

extern template class FineBins<std::int32_t>;
extern template class FineBins<double>;

}  // namespace treeproof::threshold
