#include "stream/window.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "core/index.hpp"

namespace treeproof::stream {
namespace {

void flip_bit(std::uint64_t* words, std::int32_t slot) {
  words[slot >> 6] ^= std::uint64_t{1} << (slot & 63);
}

std::int64_t popcount_and(const std::uint64_t* a, const std::uint64_t* b, std::size_t n) {
  std::int64_t total = 0;
  for (std::size_t w = 0; w < n; ++w) total += std::popcount(a[w] & b[w]);
  return total;
}

template <class Visit>
void for_each_slot(const Bits& support, Visit visit) {
  for (std::size_t w = 0; w < support.size(); ++w) {
    for (std::uint64_t rest = support[w]; rest != 0; rest &= rest - 1)
      visit(static_cast<std::int32_t>(w * 64) + std::countr_zero(rest));
  }
}

}  // namespace

Window::Window(std::int32_t capacity)
    : capacity_(capacity), words_((index(capacity) + 63) / 64), label_(index(capacity), -1),
      weight_(index(capacity), 0) {}

void Window::grow(const Schema& schema) {
  const std::size_t old_columns = schema_.columns.size();
  if (schema.columns.size() > stride_) {
    const std::size_t stride = std::max(schema.columns.size(), stride_ + stride_ / 2);
    std::vector<Code> codes(index(capacity_) * stride, 0);
    for (std::size_t slot = 0; slot < index(size_); ++slot)
      for (std::size_t c = 0; c < old_columns; ++c)
        codes[slot * stride + c] = codes_[slot * stride_ + c];
    codes_ = std::move(codes);
    stride_ = stride;
  }
  cell_.resize(schema.columns.size());
  offset_.resize(schema.columns.size());
  std::size_t codes_so_far = 0;
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    offset_[c] = codes_so_far;
    codes_so_far += index(schema.columns[c].n_codes);
    while (cell_[c].size() < index(schema.columns[c].n_codes)) {
      cell_[c].push_back(bits_.size() / words_);
      bits_.resize(bits_.size() + words_, 0);
    }
    if (c < old_columns || size_ == 0) continue;
    const std::int32_t missing = schema.columns[c].missing;
    for (std::int32_t slot = 0; slot < size_; ++slot) {
      codes_[index(slot) * stride_ + c] = static_cast<Code>(missing);
      flip_bit(bits_.data() + cell_[c][index(missing)] * words_, slot);
    }
  }
  class_bits_.resize(index(schema.n_classes), Bits(words_, 0));
  schema_ = schema;
  grow_numbers();
}

void Window::grow_numbers() {
  std::size_t n = 0;
  for (const Column& column : schema_.columns) n += column.kind == ColumnKind::ordered;
  if (n == n_numbers_) return;
  std::vector<double> numbers(index(capacity_) * n, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t slot = 0; slot < index(size_); ++slot)
    for (std::size_t j = 0; j < n_numbers_; ++j)
      numbers[slot * n + j] = numbers_[slot * n_numbers_ + j];
  numbers_ = std::move(numbers);
  n_numbers_ = n;
}

void Window::recode(std::int32_t column, std::span<const Code> codes) {
  auto& cells = cell_[index(column)];
  for (const std::uint64_t cell : cells)
    std::fill_n(bits_.begin() + static_cast<std::ptrdiff_t>(cell * words_), words_, 0);
  for (std::int32_t slot = 0; slot < size_; ++slot) {
    const Code code = codes[index(slot)];
    codes_[index(slot) * stride_ + index(column)] = code;
    flip_bit(bits_.data() + cells[code] * words_, slot);
  }
}

// Enters or removes a slot's row in the bitsets.
void Window::flip(std::int32_t slot) {
  const Code* codes = codes_.data() + index(slot) * stride_;
  for (std::size_t c = 0; c < schema_.columns.size(); ++c)
    flip_bit(bits_.data() + cell_[c][codes[c]] * words_, slot);
  flip_bit(class_bits_[index(label_[index(slot)])].data(), slot);
}

void Window::push(Row row, std::span<const double> numbers, std::int32_t label, Cost weight) {
  const std::int32_t slot = next_;
  if (full()) {
    flip(slot);
    odd_weights_ -= weight_[index(slot)] != kUnitCost;
  } else {
    ++size_;
  }
  std::copy(row.begin(), row.end(),
            codes_.begin() + static_cast<std::ptrdiff_t>(index(slot) * stride_));
  std::copy(numbers.begin(), numbers.end(),
            numbers_.begin() + static_cast<std::ptrdiff_t>(index(slot) * n_numbers_));
  label_[index(slot)] = label;
  weight_[index(slot)] = weight;
  odd_weights_ += weight != kUnitCost;
  flip(slot);
  next_ = (slot + 1) % capacity_;
}

// Moves the newest rows to slots 0 .. keep - 1, the oldest of them first.
void Window::reorder(std::int32_t keep) {
  std::vector<Code> codes(codes_.size(), 0);
  std::vector<std::int32_t> label(label_.size(), -1);
  std::vector<Cost> weight(weight_.size(), 0);
  std::vector<double> numbers(numbers_.size(), 0.0);
  for (std::int32_t k = 0; k < keep; ++k) {
    const std::size_t from = index((next_ - keep + k + capacity_) % capacity_);
    std::copy_n(codes_.begin() + static_cast<std::ptrdiff_t>(from * stride_), stride_,
                codes.begin() + static_cast<std::ptrdiff_t>(index(k) * stride_));
    std::copy_n(numbers_.begin() + static_cast<std::ptrdiff_t>(from * n_numbers_), n_numbers_,
                numbers.begin() + static_cast<std::ptrdiff_t>(index(k) * n_numbers_));
    label[index(k)] = label_[from];
    weight[index(k)] = weight_[from];
  }
  codes_ = std::move(codes);
  label_ = std::move(label);
  weight_ = std::move(weight);
  numbers_ = std::move(numbers);
  std::ranges::fill(bits_, 0);
  for (Bits& b : class_bits_) std::ranges::fill(b, 0);
  size_ = keep;
  next_ = keep % capacity_;
  odd_weights_ = 0;
  for (std::int32_t slot = 0; slot < keep; ++slot) {
    flip(slot);
    odd_weights_ += weight_[index(slot)] != kUnitCost;
  }
}

void Window::keep_newest(std::int32_t rows) { reorder(std::min(rows, size_)); }

void Window::discount(std::int32_t rows, double factor) {
  reorder(size_);
  odd_weights_ = 0;
  for (std::int32_t slot = 0; slot < size_; ++slot) {
    Cost& w = weight_[index(slot)];
    if (slot < size_ - rows) w = std::max<Cost>(1, std::llround(static_cast<double>(w) * factor));
    odd_weights_ += w != kUnitCost;
  }
}

std::size_t Window::bytes() const {
  return codes_.capacity() + label_.capacity() * sizeof(std::int32_t) +
         weight_.capacity() * sizeof(Cost) + numbers_.capacity() * sizeof(double) +
         bits_.capacity() * sizeof(std::uint64_t) +
         class_bits_.size() * words_ * sizeof(std::uint64_t);
}

Bits Window::first(std::int32_t rows) const {
  Bits support(words_, 0);
  for (std::int32_t w = 0; w < rows / 64; ++w) support[index(w)] = ~std::uint64_t{0};
  if (rows % 64 != 0) support[index(rows / 64)] = (std::uint64_t{1} << (rows % 64)) - 1;
  return support;
}

void Window::restrict(const Bits& support, const Literal& literal, Bits& out) const {
  out.assign(words_, 0);
  for (int code = literal.lo; code <= literal.hi; ++code) {
    const auto cell = cell_bits(literal.column, code);
    for (std::size_t w = 0; w < words_; ++w) out[w] |= cell[w];
  }
  for (std::size_t w = 0; w < words_; ++w) out[w] &= support[w];
}

std::int32_t Window::count(const Bits& support) {
  std::int32_t total = 0;
  for (const std::uint64_t word : support) total += std::popcount(word);
  return total;
}

void Window::class_weights(const Bits& support, std::vector<Cost>& out) const {
  out.assign(class_bits_.size(), 0);
  if (odd_weights_ == 0) {
    for (std::size_t k = 0; k < class_bits_.size(); ++k)
      out[k] = cost_of(popcount_and(support.data(), class_bits_[k].data(), words_));
  } else {
    for_each_slot(support, [&](std::int32_t slot) {
      out[index(label_[index(slot)])] += weight_[index(slot)];
    });
  }
}

void Window::column_weights(const Bits& support, std::int32_t column,
                            std::vector<Cost>& out) const {
  const std::size_t n_classes = class_bits_.size();
  const std::size_t n_codes = codes_of(index(column));
  out.assign(n_codes * n_classes, 0);
  if (odd_weights_ == 0 && words_ * n_codes * n_classes < index(count(support)) * 4) {
    Bits part(words_);
    for (std::size_t k = 0; k < n_classes; ++k) {
      for (std::size_t w = 0; w < words_; ++w) part[w] = support[w] & class_bits_[k][w];
      for (std::size_t code = 0; code < n_codes; ++code)
        out[code * n_classes + k] = cost_of(
            popcount_and(part.data(), cell_bits(column, static_cast<int>(code)).data(), words_));
    }
  } else {
    for_each_slot(support, [&](std::int32_t slot) {
      const std::size_t code = codes_[index(slot) * stride_ + index(column)];
      out[code * n_classes + index(label_[index(slot)])] += weight_[index(slot)];
    });
  }
}

void Window::all_weights(const Bits& support, std::vector<Cost>& out) const {
  const std::size_t n_codes =
      schema_.columns.empty() ? 0 : offset_.back() + codes_of(offset_.size() - 1);
  out.assign(n_codes * class_bits_.size(), 0);
  // Measured: a popcounted word costs about half of an increment.
  const std::size_t by_bits =
      words_ * (n_codes - std::min(n_codes, schema_.columns.size())) * class_bits_.size() / 2;
  const std::size_t by_rows = index(count(support)) * schema_.columns.size();
  if (odd_weights_ == 0 && by_bits < by_rows) {
    count_by_bits(support, out);
  } else {
    count_by_rows(support, out);
  }
}

void Window::count_by_bits(const Bits& support, std::vector<Cost>& out) const {
  const std::size_t n_classes = class_bits_.size();
  Bits part(words_);
  for (std::size_t k = 0; k < n_classes; ++k) {
    std::int64_t total = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      part[w] = support[w] & class_bits_[k][w];
      total += std::popcount(part[w]);
    }
    if (total == 0) continue;
    for (std::size_t c = 0; c < cell_.size(); ++c) {
      // Every row has exactly one code per column, so the last code is what is left.
      std::int64_t left = total;
      for (std::size_t code = 0; code + 1 < codes_of(c) && left > 0; ++code) {
        const std::int64_t here =
            popcount_and(part.data(), bits_.data() + cell_[c][code] * words_, words_);
        out[(offset_[c] + code) * n_classes + k] = cost_of(here);
        left -= here;
      }
      out[(offset_[c] + codes_of(c) - 1) * n_classes + k] += cost_of(left);
    }
  }
}

void Window::count_by_rows(const Bits& support, std::vector<Cost>& out) const {
  const std::size_t n_classes = class_bits_.size();
  const std::size_t n_columns = schema_.columns.size();
  for_each_slot(support, [&](std::int32_t slot) {
    const Code* codes = codes_.data() + index(slot) * stride_;
    Cost* const cell = out.data() + label_[index(slot)];
    const Cost weight = weight_[index(slot)];
    for (std::size_t c = 0; c < n_columns; ++c) cell[(offset_[c] + codes[c]) * n_classes] += weight;
  });
}

}  // namespace treeproof::stream
