// The distinct partitions that rules make of the points, as bit sets.
//
// A partition and its mirror image are the same rule, so each is kept with point 0 on the
// negative side. The table compares whole bit sets, not just hashes: a rule lost to a
// collision would be a hole in the proof.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treeproof::rules {

using Word = std::uint64_t;

class RuleStore {
 public:
  explicit RuleStore(std::size_t n_points);

  std::size_t n_points() const { return n_points_; }
  std::size_t n_words() const { return n_words_; }
  std::size_t size() const { return family_.size(); }
  std::size_t bytes() const;

  // The points on the positive side of a rule, and the family it was added for.
  std::span<const Word> positive(std::size_t rule) const {
    return {&words_[rule * n_words_], n_words_};
  }
  int family(std::size_t rule) const { return family_[rule]; }

  // A random number for each point; the hash of a set is the sum (XOR) of its points'.
  Word hash_of_point(std::size_t point) const { return hash_of_point_[point]; }

  // Adds a partition unless it is there already or has an empty side; true if it is new.
  // `hash` must be the hash of the set `positive`.
  bool add(std::span<const Word> positive, Word hash, int family);
  bool add(std::span<const Word> positive, int family);

  // The rule that makes this partition, with either side positive; size() if there is none.
  std::size_t find(std::span<const Word> positive) const;

 private:
  // A partition as it is kept, with the slot where it is or would be.
  struct Place {
    bool mirror;
    Word hash;
    std::size_t slot;
  };
  Word word_of(std::span<const Word> positive, bool mirror, std::size_t w) const {
    const Word all = w + 1 == n_words_ ? last_word_ : ~Word{0};
    return mirror ? positive[w] ^ all : positive[w];
  }
  Word hash_of(std::span<const Word> positive) const;
  Place place_of(std::span<const Word> positive, Word hash) const;
  void grow();

  std::size_t n_points_;
  std::size_t n_words_;
  Word last_word_;  // the bits of the last word that are points
  Word hash_of_all_ = 0;
  std::vector<Word> hash_of_point_;
  std::vector<Word> words_;
  std::vector<Word> hashes_;
  std::vector<std::int8_t> family_;
  std::vector<std::uint32_t> slots_;  // open addressing; 0 is empty, else rule + 1
};

}  // namespace treeproof::rules
