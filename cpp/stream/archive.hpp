// Writes a learner to bytes and reads it back, for pickling.
//
// A class lists its members once, in `template <class A> void archive(A& a) { a(x, y); }`; `Writer`
// and `Reader` use the same list. Numbers are stored in the representation of this machine. The
// bytes begin with a tag, so that a file from another kind of machine is refused instead of being
// misread.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace treeproof::stream {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// The version of the format; it reads as another number on machines with another byte order.
inline constexpr std::uint64_t kArchiveTag = 0x3130'6d61'6572'7473ULL;

class Writer {
 public:
  Writer() { write(kArchiveTag); }
  template <class... T>
  void operator()(T&... values) {
    (write(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t n) { bytes_.append(static_cast<const char*>(data), n); }
  template <Plain T>
  void write(const T& value) {
    append(&value, sizeof value);
  }
  template <class T>
  void write(std::vector<T>& values) {
    const std::uint64_t n = values.size();
    append(&n, sizeof n);
    if constexpr (Plain<T>) {
      append(values.data(), values.size() * sizeof(T));
    } else {
      for (T& value : values) write(value);
    }
  }
  template <class T>
    requires requires(T& t, Writer& w) { t.archive(w); }
  void write(T& value) {
    value.archive(*this);
  }

  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {
    std::uint64_t tag = 0;
    read(tag);
    if (tag != kArchiveTag)
      throw std::invalid_argument(
          "the learner was saved by another version of treeproof or on another kind of machine");
  }
  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  // To be called when everything was read.
  void finish() const {
    if (at_ != bytes_.size()) throw std::invalid_argument("the saved learner is damaged");
  }

 private:
  void take(void* data, std::size_t n) {
    if (n > bytes_.size() - at_) throw std::invalid_argument("the saved learner is cut short");
    std::memcpy(data, bytes_.data() + at_, n);
    at_ += n;
  }
  template <Plain T>
  void read(T& value) {
    take(&value, sizeof value);
  }
  template <class T>
  void read(std::vector<T>& values) {
    std::uint64_t n = 0;
    take(&n, sizeof n);
    if (n > bytes_.size() - at_) throw std::invalid_argument("the saved learner is damaged");
    values.resize(n);
    if constexpr (Plain<T>) {
      if (n > 0) take(values.data(), n * sizeof(T));
    } else {
      for (T& value : values) read(value);
    }
  }
  template <class T>
    requires requires(T& t, Reader& r) { t.archive(r); }
  void read(T& value) {
    value.archive(*this);
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace treeproof::stream
