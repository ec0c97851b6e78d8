#include "search/rules/rule_store.hpp"

#include <algorithm>
#include <bit>

namespace treeproof::rules {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): a fixed sequence, so that runs repeat exactly.
Word next_random(Word& state) {
  state += 0x9e3779b97f4a7c15ULL;
  Word z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

constexpr std::size_t kFirstSlots = 1024;

}  // namespace

RuleStore::RuleStore(std::size_t n_points)
    : n_points_(n_points),
      n_words_((n_points + 63) / 64),
      last_word_(n_points % 64 == 0 ? ~Word{0} : (Word{1} << (n_points % 64)) - 1),
      slots_(kFirstSlots, 0) {
  Word state = 1;
  hash_of_point_.resize(n_points);
  for (Word& h : hash_of_point_) {
    h = next_random(state);
    hash_of_all_ ^= h;
  }
}

std::size_t RuleStore::bytes() const {
  return words_.capacity() * sizeof(Word) + hashes_.capacity() * sizeof(Word) +
         family_.capacity() + slots_.capacity() * sizeof(std::uint32_t);
}

bool RuleStore::add(std::span<const Word> positive, int family) {
  Word hash = 0;
  for (std::size_t w = 0; w < n_words_; ++w)
    for (Word rest = positive[w]; rest != 0; rest &= rest - 1)
      hash ^= hash_of_point_[64 * w + static_cast<std::size_t>(std::countr_zero(rest))];
  return add(positive, hash, family);
}

bool RuleStore::add(std::span<const Word> positive, Word hash, int family) {
  if (n_points_ == 0) return false;
  const bool mirror = (positive[0] & 1) != 0;
  if (mirror) hash ^= hash_of_all_;
  const auto word = [&](std::size_t w) {
    const Word all = w + 1 == n_words_ ? last_word_ : ~Word{0};
    return mirror ? positive[w] ^ all : positive[w];
  };
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(hash) & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::size_t rule = slots_[slot] - 1;
    if (hashes_[rule] != hash) continue;
    bool same = true;
    for (std::size_t w = 0; w < n_words_ && same; ++w)
      same = words_[rule * n_words_ + w] == word(w);
    if (same) return false;
  }
  Word any = 0;
  for (std::size_t w = 0; w < n_words_; ++w) any |= word(w);
  if (any == 0) return false;  // an empty side splits nothing
  for (std::size_t w = 0; w < n_words_; ++w) words_.push_back(word(w));
  hashes_.push_back(hash);
  family_.push_back(static_cast<std::int8_t>(family));
  slots_[slot] = static_cast<std::uint32_t>(size());
  if (2 * size() > slots_.size()) grow();
  return true;
}

void RuleStore::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t rule = 0; rule < size(); ++rule) {
    std::size_t slot = static_cast<std::size_t>(hashes_[rule]) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(rule + 1);
  }
}

}  // namespace treeproof::rules
