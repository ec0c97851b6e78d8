// The rows of a stream as the online learners see them.
//
// A row is one byte per column, the column's code. Categories are numbered in the order
// in which they appear; numbers are numbered by the quantile bin they fall into, so that
// a threshold is a cut between two bins. A missing value has a code like any other: an own
// category, or the bin after the last one, which makes every test `x <= t` false and lets
// a cut in front of it ask whether the value is there at all.
//
// A literal is then always a range of codes of one column, for categories a range of one,
// and a branch is a conjunction of at most one literal per column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/split_mix.hpp"

namespace treeproof::stream {

using Code = std::uint8_t;
using Row = std::span<const Code>;

inline constexpr std::int32_t kMaxCodes = 255;

enum class ColumnKind : std::uint8_t { multiway, ordered };

struct Column {
  ColumnKind kind = ColumnKind::multiway;
  std::int32_t n_codes = 0;
  std::int32_t missing = -1;  // the code of a missing value, -1 while none was needed

  template <class Archive>
  void archive(Archive& a) {
    a(kind, n_codes, missing);
  }
};

struct Schema {
  std::vector<Column> columns;
  std::int32_t n_classes = 0;

  template <class Archive>
  void archive(Archive& a) {
    a(columns, n_classes);
  }
};

// lo <= code <= hi in one column.
struct Literal {
  std::int32_t column = 0;
  Code lo = 0;
  Code hi = 0;

  bool holds(Code code) const { return lo <= code && code <= hi; }
  bool operator==(const Literal&) const = default;

  template <class Archive>
  void archive(Archive& a) {
    a(column, lo, hi);
  }
};

// A test of one column: one child per code, or two around a cut (code <= cut first).
struct Split {
  std::int32_t column = -1;
  std::int32_t cut = -1;  // -1: one child per code

  bool exists() const { return column >= 0; }
  bool operator==(const Split&) const = default;

  template <class Archive>
  void archive(Archive& a) {
    a(column, cut);
  }
};

inline std::uint64_t hash_of(const Literal& l) {
  return split_mix((static_cast<std::uint64_t>(static_cast<std::uint32_t>(l.column)) << 16) |
                   (static_cast<std::uint64_t>(l.lo) << 8) | l.hi);
}

// A conjunction of literals, sorted by column. Its hash is the sum of its literals' hashes,
// so a child's hash costs one addition.
class Branch {
 public:
  const std::vector<Literal>& literals() const { return literals_; }
  std::uint64_t hash() const { return hash_; }
  std::size_t depth() const { return literals_.size(); }
  bool operator==(const Branch& other) const {
    return hash_ == other.hash_ && literals_ == other.literals_;
  }

  // The literal on a column, or nullptr.
  const Literal* on(std::int32_t column) const {
    const auto at = lower_bound(column);
    return at != literals_.end() && at->column == column ? &*at : nullptr;
  }

  // The codes a column may still have in this branch.
  Literal range(std::int32_t column, const Schema& schema) const {
    if (const Literal* l = on(column)) return *l;
    const auto n = schema.columns[static_cast<std::size_t>(column)].n_codes;
    return {column, 0, static_cast<Code>(std::max(n - 1, 0))};
  }

  // This branch with one more literal; a narrower literal replaces a wider one.
  Branch with(const Literal& literal) const {
    Branch child = *this;
    const auto at = child.literals_.begin() + (lower_bound(literal.column) - literals_.begin());
    if (at != child.literals_.end() && at->column == literal.column) {
      child.hash_ -= hash_of(*at);
      *at = literal;
    } else {
      child.literals_.insert(at, literal);
    }
    child.hash_ += hash_of(literal);
    return child;
  }

  // with(literal).hash(), without making the branch.
  std::uint64_t hash_with(const Literal& literal) const {
    const Literal* old = on(literal.column);
    return hash_ + hash_of(literal) - (old ? hash_of(*old) : 0);
  }

  template <class Archive>
  void archive(Archive& a) {
    a(literals_, hash_);
  }

 private:
  std::vector<Literal>::const_iterator lower_bound(std::int32_t column) const {
    return std::lower_bound(literals_.begin(), literals_.end(), column,
                            [](const Literal& l, std::int32_t c) { return l.column < c; });
  }

  std::vector<Literal> literals_;
  std::uint64_t hash_ = 0;
};

// An inner node of a tree: the branch and how it is split.
inline std::uint64_t hash_of(const Branch& branch, const Split& split) {
  const std::uint64_t column = static_cast<std::uint32_t>(split.column);
  const std::uint64_t cut = static_cast<std::uint32_t>(split.cut);
  return split_mix(branch.hash() ^ split_mix((column << 32) | cut));
}

// Whether a split can tell rows of this branch apart at all.
inline bool can_split(const Branch& branch, const Split& split, const Schema& schema) {
  const Literal* l = branch.on(split.column);
  if (split.cut < 0) return l == nullptr;
  const Literal range = branch.range(split.column, schema);
  return range.lo <= split.cut && split.cut < range.hi;
}

// The literals of a split's children in a branch, in order of their codes.
inline void outcomes_of(const Branch& branch, const Split& split, const Schema& schema,
                        std::vector<Literal>& out) {
  out.clear();
  const Literal range = branch.range(split.column, schema);
  if (split.cut < 0) {
    for (int c = range.lo; c <= range.hi; ++c)
      out.push_back({split.column, static_cast<Code>(c), static_cast<Code>(c)});
  } else {
    out.push_back({split.column, range.lo, static_cast<Code>(split.cut)});
    out.push_back({split.column, static_cast<Code>(split.cut + 1), range.hi});
  }
}

}  // namespace treeproof::stream
