// The kernels themselves, included by one source file for each instruction set. All names
// have internal linkage, so that no two instruction sets can be mixed up by the linker.
// Written with GCC/Clang vector extensions; only the byte popcount differs by machine.

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include <cstring>

#include "data/kernels/kernels.hpp"

// GCC warns about vectors that are wider than the registers; they are passed between inlined
// functions only.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace treeproof::kernels {
namespace {

using Bytes = std::uint8_t __attribute__((vector_size(kVectorBytes)));

template <class T>
struct VectorOf {
  using type __attribute__((vector_size(kVectorBytes))) = T;
};
template <class T>
using Vector = typename VectorOf<T>::type;

template <class To, class From>
inline To as(From v) {
  static_assert(sizeof(To) == sizeof(From));
  To out;
  std::memcpy(&out, &v, sizeof out);
  return out;
}

template <class T>
inline Vector<T> load(const T* p) {
  Vector<T> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <class T>
inline void store(T* p, Vector<T> v) {
  std::memcpy(p, &v, sizeof v);
}

template <class T>
inline Vector<T> broadcast(T x) {
  return x - Vector<T>{};
}

template <class T>
inline Vector<T> larger(Vector<T> a, Vector<T> b) {
  return a > b ? a : b;
}

template <class T>
inline void raise_to_largest(T& top, Vector<T> v) {
  for (int k = 0; k < kVectorBytes / static_cast<int>(sizeof(T)); ++k)
    top = v[k] > top ? v[k] : top;
}

inline Bytes popcount_bytes(Bytes v) {
#if defined(__AVX512BITALG__) && defined(__AVX512VL__)
  return as<Bytes>(_mm256_popcnt_epi8(as<__m256i>(v)));
#elif defined(__AVX2__)
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(0x0f);
  const __m256i x = as<__m256i>(v);
  const __m256i a = _mm256_shuffle_epi8(table, _mm256_and_si256(x, low));
  const __m256i b =
      _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low));
  return as<Bytes>(_mm256_add_epi8(a, b));
#elif defined(__SSSE3__)
  const __m128i table = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m128i low = _mm_set1_epi8(0x0f);
  __m128i half[2];
  std::memcpy(half, &v, sizeof v);
  for (__m128i& x : half) {
    const __m128i a = _mm_shuffle_epi8(table, _mm_and_si128(x, low));
    const __m128i b = _mm_shuffle_epi8(table, _mm_and_si128(_mm_srli_epi16(x, 4), low));
    x = _mm_add_epi8(a, b);
  }
  std::memcpy(&v, half, sizeof v);
  return v;
#elif defined(__ARM_NEON)
  uint8x16_t half[2];
  std::memcpy(half, &v, sizeof v);
  half[0] = vcntq_u8(half[0]);
  half[1] = vcntq_u8(half[1]);
  std::memcpy(&v, half, sizeof v);
  return v;
#else
  v = v - ((v >> 1) & 0x55);
  v = (v & 0x33) + ((v >> 2) & 0x33);
  return (v + (v >> 4)) & 0x0f;
#endif
}

// Sum of the bytes of each lane.
inline Vector<std::int16_t> add_bytes(Bytes v, std::uint16_t) {
  const auto x = as<Vector<std::uint16_t>>(v);
  return as<Vector<std::int16_t>>((x & 0xff) + (x >> 8));
}
inline Vector<std::int32_t> add_bytes(Bytes v, std::uint32_t) {
  auto x = as<Vector<std::uint32_t>>(v);
  x = (x & 0x00ff00ffU) + ((x >> 8) & 0x00ff00ffU);
  return as<Vector<std::int32_t>>((x & 0xffffU) + (x >> 16));
}

// A word adds at most 8 set bits to a byte, so 31 words can be added before a byte overflows.
inline constexpr std::int32_t kWordsPerFlush = 31;

template <class Word, bool kMasked>
inline void count_columns(const Word* words, std::int32_t stride, const Word* mask,
                          std::int32_t begin, std::int32_t end, std::int32_t multiplier,
                          Count<Word>* counts) {
  const auto m = broadcast(static_cast<Count<Word>>(multiplier));
  for (std::int32_t j = 0; j < stride; j += kLanes<Word>) {
    Vector<Count<Word>> sum{};
    for (std::int32_t w = begin; w < end;) {
      const std::int32_t stop = end - w < kWordsPerFlush ? end : w + kWordsPerFlush;
      Bytes bytes{};
      for (; w < stop; ++w) {
        auto bits = load(words + static_cast<std::ptrdiff_t>(w) * stride + j);
        if constexpr (kMasked) bits &= broadcast(mask[w]);
        bytes += popcount_bytes(as<Bytes>(bits));
      }
      sum += add_bytes(bytes, Word{});
    }
    store(counts + j, load(counts + j) + sum * m);
  }
}

template <class Word>
void column_counts(const Word* words, std::int32_t stride, std::int32_t begin,
                   std::int32_t end, std::int32_t multiplier, Count<Word>* counts) {
  count_columns<Word, false>(words, stride, nullptr, begin, end, multiplier, counts);
}

template <class Word>
void masked_counts(const Word* words, std::int32_t stride, const Word* mask,
                   std::int32_t begin, std::int32_t end, std::int32_t multiplier,
                   Count<Word>* counts) {
  count_columns<Word, true>(words, stride, mask, begin, end, multiplier, counts);
}

// Set bits that column i shares with each of the columns j .. j + lanes - 1.
template <class Word>
inline Vector<Count<Word>> shared_bits(const Word* words, std::int32_t stride,
                                       std::int32_t begin, std::int32_t end,
                                       std::int32_t i, std::int32_t j) {
  Vector<Count<Word>> sum{};
  for (std::int32_t w = begin; w < end;) {
    const std::int32_t stop = end - w < kWordsPerFlush ? end : w + kWordsPerFlush;
    Bytes bytes{};
    for (; w < stop; ++w) {
      const Word* row = words + static_cast<std::ptrdiff_t>(w) * stride;
      bytes += popcount_bytes(as<Bytes>(load(row + j) & broadcast(row[i])));
    }
    sum += add_bytes(bytes, Word{});
  }
  return sum;
}

template <class Word>
void side_totals(const Count<Word>* column_count, const Count<Word>* channel_total,
                 std::int32_t n_classes, std::int32_t stride, Count<Word>* total,
                 Count<Word>* most) {
  using C = Count<Word>;
  using V = Vector<C>;
  for (std::int32_t j = 0; j < stride; j += kLanes<Word>) {
    V total0{}, total1{}, most0{}, most1{};
    for (std::int32_t c = 0; c < n_classes; ++c) {
      const V in = load(column_count + static_cast<std::ptrdiff_t>(c) * stride + j);
      const V out = channel_total[c] - in;
      total0 += out;
      total1 += in;
      most0 = larger<C>(most0, out);
      most1 = larger<C>(most1, in);
    }
    store(total + j, total0);
    store(total + stride + j, total1);
    store(most + j, most0);
    store(most + stride + j, most1);
  }
}

// Weight that column i shares with each of the columns j .. j + lanes - 1 in one channel;
// `block` moves on to the next channel.
template <class Word>
inline Vector<Count<Word>> shared_weight(const PairTask<Word>& task, const Block*& block,
                                         std::int32_t channel, std::int32_t i,
                                         std::int32_t j) {
  using C = Count<Word>;
  Vector<C> both{};
  const Block* const end = task.blocks + task.n_blocks;
  for (; block != end && block->channel == channel; ++block) {
    const Vector<C> bits =
        shared_bits(task.words, task.stride, block->begin, block->end, i, j);
    both += block->multiplier == 1 ? bits
                                   : bits * broadcast(static_cast<C>(block->multiplier));
  }
  return both;
}

template <class Word>
void quarters(const PairTask<Word>& task, std::int32_t i, Count<Word>* total,
              Count<Word>* most) {
  using C = Count<Word>;
  using V = Vector<C>;
  const std::ptrdiff_t stride = task.stride;
  for (std::int32_t j = 0; j < task.n_binary; j += kLanes<Word>) {
    V sum[4]{}, top[4]{};
    const Block* block = task.blocks;
    for (std::int32_t c = 0; c < task.n_classes; ++c) {
      const V both = shared_weight(task, block, c, i, j);
      const C count_i = task.column_count[c * stride + i];
      const V only_j = load(task.column_count + c * stride + j) - both;
      const V parts[4] = {both, count_i - both, only_j,
                          static_cast<C>(task.channel_total[c] - count_i) - only_j};
      for (int q = 0; q < 4; ++q) {
        sum[q] += parts[q];
        top[q] = larger<C>(top[q], parts[q]);
      }
    }
    for (int q = 0; q < 4; ++q) {
      store(total + q * stride + j, sum[q]);
      store(most + q * stride + j, top[q]);
    }
  }
}

// The largest class count of each quarter that two two-way tests make, and the totals of
// samples where they matter.
template <class Word>
struct Quarters {
  Vector<Count<Word>> in_both{}, in_i{}, in_j{}, in_none{};
};

template <class Word>
void pair_counts(const PairTask<Word>& task, std::int32_t first, std::int32_t last) {
  // Long: the innermost loop of the search; its vectors stay in registers only in one function.
  using C = Count<Word>;
  using V = Vector<C>;
  const std::ptrdiff_t stride = task.stride;
  const std::ptrdiff_t plane = stride * task.n_columns;
  const std::int32_t n_channels = task.n_classes + (task.has_samples ? 1 : 0);
  const bool check_samples = task.min_samples > 1;
  const V least = broadcast(static_cast<C>(task.min_samples));
  const V penalty = broadcast(task.penalty);

  for (std::int32_t i = first; i < last; ++i) {
    V best_i0{}, best_i1{};
    V cover_i0[kMaxCoveringClasses], cover_i1[kMaxCoveringClasses];
    if (task.covering != nullptr)
      for (std::int32_t c = 0; c < task.n_classes; ++c) cover_i0[c] = cover_i1[c] = V{};
    for (std::int32_t j = i / kLanes<Word> * kLanes<Word>; j < task.stride;
         j += kLanes<Word>) {
      Quarters<Word> most, samples;
      const bool two_way = i < task.n_binary && j < task.n_binary;
      const Block* block = task.blocks;
      for (std::int32_t c = 0; c < n_channels; ++c) {
        const V both = shared_weight(task, block, c, i, j);
        store(task.pair + c * plane + i * stride + j, both);
        if (!two_way) continue;
        const C count_i = task.column_count[c * stride + i];
        const V count_j = load(task.column_count + c * stride + j);
        const V only_i = count_i - both;
        const V only_j = count_j - both;
        const V none = static_cast<C>(task.channel_total[c] - count_i) - only_j;
        if (c < task.n_classes) {
          most.in_both = larger<C>(most.in_both, both);
          most.in_i = larger<C>(most.in_i, only_i);
          most.in_j = larger<C>(most.in_j, only_j);
          most.in_none = larger<C>(most.in_none, none);
        }
        if (check_samples && (c == task.n_classes || !task.has_samples)) {
          samples.in_both += both;
          samples.in_i += only_i;
          samples.in_j += only_j;
          samples.in_none += none;
        }
      }
      if (!two_way) continue;

      V right_i1 = most.in_both + most.in_i;
      V right_i0 = most.in_j + most.in_none;
      V right_j1 = most.in_both + most.in_j;
      V right_j0 = most.in_i + most.in_none;
      if (check_samples) {
        const auto ok_both = samples.in_both >= least, ok_i = samples.in_i >= least;
        const auto ok_j = samples.in_j >= least, ok_none = samples.in_none >= least;
        right_i1 = as<V>(ok_both & ok_i) & right_i1;
        right_i0 = as<V>(ok_j & ok_none) & right_i0;
        right_j1 = as<V>(ok_both & ok_j) & right_j1;
        right_j0 = as<V>(ok_i & ok_none) & right_j0;
      }
      best_i1 = larger<C>(best_i1, right_i1);
      best_i0 = larger<C>(best_i0, right_i0);
      C* const j0 = task.best_right + j;
      C* const j1 = task.best_right + stride + j;
      store(j0, larger<C>(load(j0), right_j0));
      store(j1, larger<C>(load(j1), right_j1));

      if (task.covering == nullptr) continue;
      const V adm_i1 = as<V>((most.in_both > penalty) & (most.in_i > penalty));
      const V adm_i0 = as<V>((most.in_j > penalty) & (most.in_none > penalty));
      const V adm_j1 = as<V>((most.in_both > penalty) & (most.in_j > penalty));
      const V adm_j0 = as<V>((most.in_i > penalty) & (most.in_none > penalty));
      for (std::int32_t c = 0; c < task.n_classes; ++c) {
        const V both = load(task.pair + c * plane + i * stride + j);
        const C count_i = task.column_count[c * stride + i];
        const V only_i = count_i - both;
        const V only_j = load(task.column_count + c * stride + j) - both;
        const V none = static_cast<C>(task.channel_total[c] - count_i) - only_j;
        C* const cover0 = task.covering + 2 * c * stride;
        C* const cover1 = cover0 + stride;
        store(cover1 + j, larger<C>(load(cover1 + j), adm_j1 & larger<C>(both, only_j)));
        store(cover0 + j, larger<C>(load(cover0 + j), adm_j0 & larger<C>(only_i, none)));
        cover_i1[c] = larger<C>(cover_i1[c], adm_i1 & larger<C>(both, only_i));
        cover_i0[c] = larger<C>(cover_i0[c], adm_i0 & larger<C>(only_j, none));
      }
    }
    if (i >= task.n_binary) continue;
    raise_to_largest<C>(task.best_right[i], best_i0);
    raise_to_largest<C>(task.best_right[stride + i], best_i1);
    if (task.covering == nullptr) continue;
    for (std::int32_t c = 0; c < task.n_classes; ++c) {
      raise_to_largest<C>(task.covering[2 * c * stride + i], cover_i0[c]);
      raise_to_largest<C>(task.covering[(2 * c + 1) * stride + i], cover_i1[c]);
    }
  }
}

template <class Word>
void compress(const Word* in, std::int32_t stride, const Word* moves, Word mask,
              std::int32_t offset, Word* current, Word* next) {
  constexpr int bits = static_cast<int>(sizeof(Word)) * 8;
  const auto keep = broadcast(mask);
  for (std::int32_t j = 0; j < stride; j += kLanes<Word>) {
    Vector<Word> x = load(in + j) & keep;
    int shift = 1;
    for (int k = 0; shift < bits; ++k, shift <<= 1) {
      const Vector<Word> t = x & broadcast(moves[k]);
      x = (x ^ t) | (t >> shift);
    }
    store(current + j, load(current + j) | (x << offset));
    if (next != nullptr) store(next + j, x >> (bits - offset));
  }
}

// A vector of zeros behind the last column is a test that no row passes, which improves nothing.
inline void triple_best(const TripleTask& task, std::int32_t a) {
  using C = std::int32_t;
  using V = Vector<C>;
  constexpr std::int32_t lanes = kVectorBytes / static_cast<std::int32_t>(sizeof(C));
  const std::ptrdiff_t n = task.n_columns, stride = task.stride, plane = n * stride;
  for (std::ptrdiff_t b = a + 1; b < n; ++b) {
    V best_ab[4]{};
    for (std::ptrdiff_t k = b + 1; k < n; k += lanes) {
      V most[8]{};  // [4 * (passes a) + 2 * (passes b) + (passes k)]
      for (std::ptrdiff_t c = 0; c < task.n_classes; ++c) {
        const C* const single = task.single + c * stride;
        const C* const pair_a = task.pair + c * plane + a * stride;
        const C* const pair_b = task.pair + c * plane + b * stride;
        const C in_a = single[a], in_b = single[b], in_ab = pair_a[b];
        const V all = load(task.triple + c * task.n_triples + task.start[a * n + b] + k - b - 1);
        const V in_ak = load(pair_a + k), in_bk = load(pair_b + k), in_k = load(single + k);
        const V only_ak = in_ak - all, only_bk = in_bk - all, only_ab = in_ab - all;
        const V only_k = in_k - in_ak - only_bk;
        const V only_a = (in_a - in_ab) - only_ak;
        const V only_b = (in_b - in_ab) - only_bk;
        const V none = (task.total[c] - in_a - in_b + in_ab) - only_k;
        const V part[8] = {none, only_k, only_b, only_bk, only_a, only_ak, only_ab, all};
        for (int q = 0; q < 8; ++q) most[q] = larger<C>(most[q], part[q]);
      }
      for (int s = 0; s < 2; ++s)
        for (int t = 0; t < 2; ++t) {
          const int q = 2 * s + t;
          best_ab[q] = larger<C>(best_ab[q], most[4 * s + 2 * t] + most[4 * s + 2 * t + 1]);
          C* const ak = task.best + q * plane + a * stride + k;
          store(ak, larger<C>(load(ak), most[4 * s + t] + most[4 * s + 2 + t]));
          C* const bk = task.best + q * plane + b * stride + k;
          store(bk, larger<C>(load(bk), most[2 * s + t] + most[4 + 2 * s + t]));
        }
    }
    for (int q = 0; q < 4; ++q)
      raise_to_largest<C>(task.best[q * plane + a * stride + b], best_ab[q]);
  }
}

template <class Word>
constexpr Kernels<Word> make_kernels() {
  return {&column_counts<Word>, &masked_counts<Word>, &side_totals<Word>, &quarters<Word>,
          &pair_counts<Word>, &compress<Word>, &triple_best};
}

}  // namespace
}  // namespace treeproof::kernels
