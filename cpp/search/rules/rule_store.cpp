#include "search/rules/rule_store.hpp"

#include <algorithm>
#include <bit>

#include "core/split_mix.hpp"

namespace treeproof::rules {
namespace {

constexpr std::size_t kFirstSlots = 1024;

}  // namespace

RuleStore::RuleStore(std::size_t n_points)
    : n_points_(n_points), n_words_((n_points + 63) / 64),
      last_word_(n_points % 64 == 0 ? ~Word{0} : (Word{1} << (n_points % 64)) - 1),
      slots_(kFirstSlots, 0) {
  for (std::size_t p = 0; p < n_points; ++p) {
    hash_of_point_.push_back(split_mix(p));
    hash_of_all_ ^= hash_of_point_.back();
  }
}

std::size_t RuleStore::bytes() const {
  return words_.capacity() * sizeof(Word) + hashes_.capacity() * sizeof(Word) + family_.capacity() +
         slots_.capacity() * sizeof(std::uint32_t);
}

Word RuleStore::hash_of(std::span<const Word> positive) const {
  Word hash = 0;
  for (std::size_t w = 0; w < n_words_; ++w)
    for (Word rest = positive[w]; rest != 0; rest &= rest - 1)
      hash ^= hash_of_point_[64 * w + static_cast<std::size_t>(std::countr_zero(rest))];
  return hash;
}

RuleStore::Place RuleStore::place_of(std::span<const Word> positive, Word hash) const {
  const bool mirror = (positive[0] & 1) != 0;
  if (mirror) hash ^= hash_of_all_;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(hash) & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::size_t rule = slots_[slot] - 1;
    if (hashes_[rule] != hash) continue;
    bool same = true;
    for (std::size_t w = 0; w < n_words_ && same; ++w)
      same = words_[rule * n_words_ + w] == word_of(positive, mirror, w);
    if (same) break;
  }
  return {mirror, hash, slot};
}

bool RuleStore::add(std::span<const Word> positive, int family) {
  return n_points_ > 0 && add(positive, hash_of(positive), family);
}

bool RuleStore::add(std::span<const Word> positive, Word hash, int family) {
  const Place place = place_of(positive, hash);
  if (slots_[place.slot] != 0) return false;
  Word any = 0;
  for (std::size_t w = 0; w < n_words_; ++w) any |= word_of(positive, place.mirror, w);
  if (any == 0) return false;  // an empty side splits nothing
  for (std::size_t w = 0; w < n_words_; ++w) words_.push_back(word_of(positive, place.mirror, w));
  hashes_.push_back(place.hash);
  family_.push_back(static_cast<std::int8_t>(family));
  slots_[place.slot] = static_cast<std::uint32_t>(size());
  if (2 * size() > slots_.size()) grow();
  return true;
}

std::size_t RuleStore::find(std::span<const Word> positive) const {
  if (n_points_ == 0) return size();
  const std::uint32_t found = slots_[place_of(positive, hash_of(positive)).slot];
  return found == 0 ? size() : found - 1;
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
