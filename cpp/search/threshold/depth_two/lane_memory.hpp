// Histograms in lanes: the memory behind kernels.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

#include "search/threshold/depth_two/bins.hpp"
#include "search/threshold/depth_two/kernels.hpp"

namespace treeproof::threshold {

// A 64-byte aligned array that keeps its memory when it shrinks.
template <class T>
class AlignedArray {
 public:
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::size_t k) { return data_.get()[k]; }
  const T& operator[](std::size_t k) const { return data_.get()[k]; }
  std::size_t size() const { return size_; }
  void resize_for_overwrite(std::size_t size) {
    if (size > capacity_) {
      data_.reset(static_cast<T*>(::operator new(size * sizeof(T), std::align_val_t{64})));
      capacity_ = size;
    }
    size_ = size;
  }
  void zero() {
    if (size_ > 0) std::memset(data_.get(), 0, size_ * sizeof(T));
  }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(p, std::align_val_t{64}); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// [block][bin][channel][lane] histograms of the rows left of the cut and of all rows.
template <class T>
struct LaneMemory {
  static constexpr std::size_t kWidth = static_cast<std::size_t>(kLanes<T>);

  std::size_t lanes = 0;
  std::size_t blocks = 0;
  std::size_t bins = 0;
  std::size_t channels = 0;
  std::size_t classes = 0;
  AlignedArray<T> left, total, several, rises, falls, scratch;
  AlignedArray<T> lower_left, upper_left, lower_right, upper_right;

  std::size_t bin_stride() const { return channels * kWidth; }
  std::size_t block_stride() const { return bins * bin_stride(); }
  // The first entry (bin 0, channel 0) of a lane.
  std::size_t base(std::size_t lane) const {
    return lane / kWidth * block_stride() + lane % kWidth;
  }

  // `paired`: the number of classes if gains of their pairs are used, and 0 otherwise.
  void shape(std::size_t n_lanes, std::size_t n_bins, std::size_t n_channels,
             std::size_t paired = 0) {
    lanes = n_lanes;
    blocks = (n_lanes + kWidth - 1) / kWidth;
    bins = n_bins;
    channels = n_channels;
    left.resize_for_overwrite(blocks * block_stride());
    total.resize_for_overwrite(blocks * block_stride());
    several.resize_for_overwrite(blocks * bins * kWidth);
    classes = paired;
    const std::size_t prefixes = std::max<std::size_t>(paired, 1);
    scratch.resize_for_overwrite((2 * prefixes * (bins + 1) + 3 * channels) * kWidth);
    for (AlignedArray<T>* bound : {&lower_left, &upper_left, &lower_right, &upper_right})
      bound->resize_for_overwrite(blocks * kWidth);
    total.zero();
    several.zero();
    for (AlignedArray<T>* may : {&rises, &falls}) {
      may->resize_for_overwrite(blocks * kWidth);
      if (blocks > 0) std::memset(may->data(), 0xff, blocks * kWidth * sizeof(T));
    }
  }

  // Marks a lane whose stumps may predict the classes in one order only
  // (Misclassification::direction).
  void direct(std::size_t lane, std::int32_t direction) {
    if (direction != 0) std::memset(&(direction > 0 ? falls : rises)[lane], 0, sizeof(T));
  }

  void mark_several(const SubsetBins& subset) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      T* mask = several.data() + lane / kWidth * bins * kWidth + lane % kWidth;
      for (std::size_t bin = 0; bin < bins; ++bin)
        if (subset.several(static_cast<int>(lane), static_cast<int>(bin)))
          std::memset(mask + bin * kWidth, 0xff, sizeof(T));
    }
  }

  // A window over all rows leaves the histograms of all rows in `left`; this keeps them.
  void keep_totals() { std::copy_n(left.data(), left.size(), total.data()); }

  // Returns the least entry of all lanes, or `most` if that is less. Lanes beyond the features have
  // no rows, so their stumps are leaves and are never below `most`, the loss of a leaf.
  std::int64_t least(const AlignedArray<T>& bounds, std::int64_t most) const {
    T low = std::numeric_limits<T>::max();
    for (std::size_t lane = 0; lane < blocks * kWidth; ++lane) low = std::min(low, bounds[lane]);
    return std::min<std::int64_t>(low, most);
  }

  LaneInput<T> input() {
    return {left.data(),
            total.data(),
            several.data(),
            rises.data(),
            falls.data(),
            scratch.data(),
            static_cast<int>(blocks),
            static_cast<int>(bins),
            static_cast<int>(channels),
            static_cast<int>(classes)};
  }
};

// The best stump of each side of a cut, with a lower and an upper bound on its loss. A leaf without
// a cut counts as a stump here.
template <class Value>
struct StumpBounds {
  Value left_lower, left_upper, right_lower, right_upper;
};

enum class Side { left, right };

}  // namespace treeproof::threshold
