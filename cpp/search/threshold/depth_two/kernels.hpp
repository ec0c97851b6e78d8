// Bounds on every stump of both sides of a cut, one pass over histograms.
//
// Numeric features are arranged in *lanes*: a block is 32 bytes of lanes, and histograms have the
// layout [block][bin][channel][lane], so that one vector instruction processes 4 (double), 8
// (int32) or 16 (int16) features. For each lane the kernels return an upper bound (of the best
// stump that cuts between bins, which exists) and a lower bound (no stump, wherever it cuts, does
// better), for the rows left of the cut (`left`) and right of it (`total - left`).
//
// The same source is compiled three times: for AVX-512, for AVX2 and for any processor. The fastest
// one that runs is chosen once. Vectors have 32 bytes in all three; with AVX-512 there are twice as
// many registers, so that the running sums of several classes stay in them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace treeproof::threshold {

template <class T>
inline constexpr int kLanes = 32 / static_cast<int>(sizeof(T));

// Channels of a class histogram: weight of each class, then (only with a minimum leaf size)
// the number of rows, or (only if they are known) the gains of each pair of classes. Channels of
// a moment histogram: weight, sum of each output, sum of the rows' own terms, then (with a minimum
// leaf size) the number of rows.
template <class T>
struct LaneInput {
  const T* left;
  const T* total;
  const T* several;  // [block][bin][lane]: all bits set if the bin contains several values
  // [block][lane]: all bits set if the left part of a stump may predict class 0 and the right one
  // class 1, and the reverse; used for two classes
  const T* rises;
  const T* falls;
  T* scratch;  // at least 4 * (bins + 1) blocks, aligned
  int blocks;
  int bins;
  int channels;
  int classes = 0;  // of a histogram with pairs
  // Of a moment histogram (loss/moment_loss.hpp).
  const T* centres = nullptr;
  const T* prior = nullptr;
  // [block][array][end of a bin][lane]: what is explained before the end on the left and on the
  // right side, and after it; written where logarithms take longer than that
  T* kept = nullptr;
};

// For each side: class weights (or moments) of the whole side, its number of rows, and the least
// number of rows that either part of a stump must have, for the lower and for the upper bounds.
template <class T>
struct SideTotals {
  const T* sums;
  T rows;
  T min_rows;
  // Stumps that lose at least that much are of no interest, so that their bounds may be weaker.
  T matters = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                   : std::numeric_limits<T>::max();
};

// Losses for each lane, in the units of the histogram.
template <class T>
struct LaneBounds {
  T* lower;
  T* upper;
};

template <class T>
using Kernel = void (*)(const LaneInput<T>&, const SideTotals<T>&, const SideTotals<T>&,
                        LaneBounds<T>, LaneBounds<T>);

template <class T>
struct ClassKernels {
  Kernel<T> two;      // two classes
  Kernel<T> two_min;  // two classes, minimum leaf size
  Kernel<T> many;     // any number of classes
  Kernel<T> many_min;
  Kernel<T> pairs;  // any number of classes, gains of pairs known
};

// What the best constants explain of the losses of groups of four leaves, for one output. The
// groups are `stride` numbers apart; each begins with the weights of the four leaves and their
// sums.
using ExplainFours = void (*)(const double* groups, int n_groups, int stride, double centre,
                              double* out);

// Columns of two values (depth_two/binary_pairs.hpp), one output: what the best constants lose in
// the leaves below column f and each of some others. Moments are (weight, sum, own terms, rows).
struct PairInput {
  const double* both;       // [other, moment]: rows with the rarer value of f and of the other
  const double* of_others;  // [other, moment]: rows with the rarer value of the other
  const double* of_column;  // [moment]: rows with the rarer value of f
  const double* all;        // [moment]
  int n_others;
  double centre;
  double min_rows;  // of a leaf; with fewer, it loses infinitely much
  double little;    // leaves of less weight have to be summed up directly
};
// Four losses for each other column: of the rows with the rarer value of f split by the other
// column, of those with the commoner value of f, and the same two for the other column split by f.
// NaN if one of the leaves has too little weight.
using LosePairs = void (*)(const PairInput& in, double* out);

struct MomentKernels {
  Kernel<double> one;  // one output
  Kernel<double> one_min;
  Kernel<double> many;  // any number of outputs
  Kernel<double> many_min;
  Kernel<double> smoothed;  // the same with imaginary rows in every leaf
  Kernel<double> smoothed_min;
  ExplainFours explain_fours;
  LosePairs lose_pairs;
};

struct KernelSet {
  ClassKernels<std::int16_t> counts16;
  ClassKernels<std::int32_t> counts32;
  MomentKernels squares;
  MomentKernels logs;
};

KernelSet portable_kernels();
KernelSet avx2_kernels();
KernelSet avx512_kernels();

// The sets that this processor supports, the fastest one first and the portable one last.
std::vector<KernelSet> supported_kernels();

// The fastest set; `portable` requests the portable one (for tests).
KernelSet choose_kernels(bool portable = false);

}  // namespace treeproof::threshold
