#include "search/sparse/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <system_error>
#include <type_traits>

#include "core/disk.hpp"

namespace treeproof::sparse {
namespace {

constexpr std::uint64_t kMagic = 0x33544b4350545254ULL;  // the format, version 3

// A checksum of everything that is added, in order.
class Digest {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
    std::uint64_t words[sizeof(T) / 8];
    std::memcpy(words, &value, sizeof(T));
    for (const std::uint64_t w : words) {
      const Key mixed = random_key(sum_.low ^ w);
      sum_ += mixed;
      sum_.high ^= std::rotl(sum_.low, 23);
    }
  }
  template <class T>
  void add_all(std::span<const T> values) {
    add(static_cast<std::uint64_t>(values.size()));
    for (const T v : values) add(static_cast<std::int64_t>(v));
  }
  const Key& sum() const { return sum_; }

 private:
  Key sum_;
};

struct Header {
  std::uint64_t magic = kMagic;
  Key fingerprint;
  std::uint64_t key_seed = 0;
};
static_assert(sizeof(Checkpoint::Record) == 40 && sizeof(Header) == 32);

// Writes values and finally flushes the file to disk; false if any of this failed.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path)
      : path_(path), file_(path, std::ios::binary | std::ios::trunc) {}

  template <class T>
  void put(const T& value) {
    file_.write(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  bool finish() {
    file_.close();
    return file_.good() && force_to_disk(path_);
  }

 private:
  std::string path_;
  std::ofstream file_;
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::invalid_argument("checkpoint '" + path + "' " + why +
                              "; name another file, or delete this one to start anew");
}

}  // namespace

Key fingerprint(const Problem& problem, const TreeLimits& limits) {
  Digest d;
  d.add(split_cost(limits.split_penalty, problem.total_weight));
  d.add(static_cast<std::int64_t>(limits.penalize));
  d.add(static_cast<std::int64_t>(limits.max_depth));
  d.add(limits.min_samples_leaf);
  d.add(static_cast<std::int64_t>(problem.n_classes));
  d.add_all(std::span(problem.label));
  d.add_all(std::span(problem.weight));
  d.add_all(std::span(problem.samples));
  d.add_all(std::span(problem.codes));
  for (const Test& t : problem.tests) {
    d.add((std::int64_t{t.feature} << 32) + t.code);
    d.add((static_cast<std::int64_t>(t.kind) << 32) + t.n_outcomes);
  }
  return d.sum();
}

bool read_checkpoint(const std::string& path, const Problem& problem, const TreeLimits& limits,
                     Checkpoint& out) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return false;
  const auto size = static_cast<std::int64_t>(file.tellg());
  constexpr std::int64_t kFrame = sizeof(Header) + sizeof(Key);
  Header header{};
  file.seekg(0);
  if (size < kFrame || (size - kFrame) % 40 != 0 ||
      !file.read(reinterpret_cast<char*>(&header), sizeof(header)) || header.magic != kMagic)
    refuse(path, "is no checkpoint of a search, or damaged");
  if (!(header.fingerprint == fingerprint(problem, limits)))
    refuse(path, "is about another table or other parameters");
  out.key_seed = header.key_seed;
  out.records.resize(static_cast<std::size_t>((size - kFrame) / 40));
  file.read(reinterpret_cast<char*>(out.records.data()),
            static_cast<std::streamsize>(out.records.size() * sizeof(Checkpoint::Record)));
  Key sum;
  file.read(reinterpret_cast<char*>(&sum), sizeof(sum));
  Digest digest;
  digest.add(header);
  for (const Checkpoint::Record& r : out.records) digest.add(r);
  if (!file || !(digest.sum() == sum)) refuse(path, "is damaged");
  const auto n_tests = static_cast<std::int32_t>(problem.tests.size());
  for (const Checkpoint::Record& r : out.records)
    if (r.test < -1 || r.test >= n_tests || r.lower < 0 || r.lower > kInfiniteCost || r.upper < 0 ||
        r.upper > kInfiniteCost)
      refuse(path, "is damaged: it names a test or a bound that cannot be");
  return true;
}

bool write_checkpoint(const std::string& path, const Key& fingerprint, std::uint64_t key_seed,
                      const Memo& memo) {
  // Other threads may be running, so the memo is copied first.
  std::vector<Checkpoint::Record> records;
  memo.for_each([&](const Key& key, std::uint32_t effort, const Bounds& b) {
    records.push_back({key, b.lower, b.upper, b.test, effort});
  });
  Header header;
  header.fingerprint = fingerprint;
  header.key_seed = key_seed;
  const std::string unfinished = path + ".unfinished";
  OutputFile file(unfinished);
  Digest digest;
  digest.add(header);
  file.put(header);
  for (const Checkpoint::Record& r : records) {
    digest.add(r);
    file.put(r);
  }
  file.put(digest.sum());
  std::error_code failed;
  if (file.finish()) {
    std::filesystem::rename(unfinished, path, failed);
    if (!failed) return true;
  }
  std::filesystem::remove(unfinished, failed);
  return false;
}

void CheckpointKeeper::save(const Memo& memo, const Limits& limits) {
  const double start = limits.seconds();
  ++(write_checkpoint(path_, fingerprint_, key_seed_, memo) ? written_ : failures_);
  next_ = limits.seconds() + std::max(pause_, 20 * (limits.seconds() - start));
}

}  // namespace treeproof::sparse
