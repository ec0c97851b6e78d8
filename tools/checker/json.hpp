// A small JSON reader (RFC 8259), which is stricter than most. An object may not contain a key
// twice, because two programs could then read two different proofs from one file; and the depth of
// nesting is limited, so that a hostile file cannot exhaust the stack. Values keep their text, so
// that no number is rounded while reading. The text belongs to the line that was read, which must
// live as long as the values.

#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "errors.hpp"

namespace checker {

inline void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
    }
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

struct Number {};

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  using Data = std::variant<std::nullptr_t, bool, Number, std::string, Array, Object>;

  Json() = default;
  explicit Json(Data data) : data_(std::move(data)) {}

  std::string_view text;

  template <class T>
  const T* get() const {
    return std::get_if<T>(&data_);
  }
  bool is_null() const { return get<std::nullptr_t>() != nullptr; }

  const Json* find(std::string_view key) const {
    if (const auto* object = get<Object>()) {
      for (const auto& [name, value] : *object) {
        if (name == key) return &value;
      }
    }
    return nullptr;
  }
  const Json& at(std::string_view key) const {
    if (const Json* value = find(key)) return *value;
    throw Unreadable("the key \"" + std::string(key) + "\" is missing");
  }

  // Each function is given the name of what it reads, so that the message can say what is wrong.
  const Array& array(const char* what) const {
    if (const auto* value = get<Array>()) return *value;
    throw Unreadable(std::string(what) + " is not a list");
  }
  const std::string& string(const char* what) const {
    if (const auto* value = get<std::string>()) return *value;
    throw Unreadable(std::string(what) + " is not a string");
  }
  std::int64_t integer(const char* what) const {
    return within(number<std::int64_t>(what, "a whole"), kMostWhole, what);
  }
  double real(const char* what) const {
    return within(number<double>(what, "a finite"), kMostReal, what);
  }

  // An integer in [low, high], or -1 for null.
  std::int64_t limit(const char* what, std::int64_t high) const {
    if (is_null()) return -1;
    const std::int64_t value = integer(what);
    if (value < 0) throw Unreadable(std::string(what) + " is negative");
    return value < high ? value : high;
  }

 private:
  static constexpr std::int64_t kMostWhole = std::int64_t{1} << 60;
  static constexpr double kMostReal = 1e300;

  template <class T>
  static T within(T value, T most, const char* what) {
    if (value >= -most && value <= most) return value;
    throw Unreadable(std::string(what) + " is out of range");
  }
  template <class T>
  T number(const char* what, const char* kind) const {
    const char* end = text.data() + text.size();
    T value{};
    if (get<Number>() != nullptr) {
      const auto [stop, error] = std::from_chars(text.data(), end, value);
      if (error == std::errc() && stop == end) return value;
    }
    throw Unreadable(std::string(what) + " is not " + kind + " number this program can hold");
  }

  Data data_ = nullptr;
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Json read() {
    Json value = read_value(0);
    skip_space();
    if (at_ != text_.size()) fail("something follows the value");
    return value;
  }

 private:
  static constexpr int kDeepest = 1500;

  [[noreturn]] void fail(const char* why) const {
    throw Unreadable("not JSON at character " + std::to_string(at_ + 1) + ": " + why);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) {
      ++at_;
    }
  }
  bool take(char wanted) {
    if (peek() != wanted || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) fail("no value here");
    at_ += word.size();
  }

  Json read_value(int depth) {
    if (depth > kDeepest) fail("nested too deeply");
    skip_space();
    const std::size_t start = at_;
    Json value = read_any(depth);
    value.text = text_.substr(start, at_ - start);
    return value;
  }

  Json read_any(int depth) {
    switch (peek()) {
      case '{': return read_object(depth);
      case '[': return read_array(depth);
      case '"': return Json(read_string());
      case 't': take_word("true"); return Json(true);
      case 'f': take_word("false"); return Json(false);
      case 'n': take_word("null"); return Json();
      default: return read_number();
    }
  }

  Json read_array(int depth) {
    Json::Array items;
    ++at_;
    skip_space();
    if (take(']')) return Json(std::move(items));
    do {
      items.push_back(read_value(depth + 1));
      skip_space();
    } while (take(','));
    if (!take(']')) fail("a list does not end");
    return Json(std::move(items));
  }

  Json read_object(int depth) {
    Json::Object members;
    ++at_;
    skip_space();
    if (take('}')) return Json(std::move(members));
    do {
      skip_space();
      if (peek() != '"') fail("a key is missing");
      std::string key = read_string();
      for (const auto& [name, value] : members) {
        if (name == key) fail("a key comes twice");
      }
      skip_space();
      if (!take(':')) fail("a colon is missing");
      members.emplace_back(std::move(key), read_value(depth + 1));
      skip_space();
    } while (take(','));
    if (!take('}')) fail("an object does not end");
    return Json(std::move(members));
  }

  std::size_t take_digits() {
    const std::size_t start = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ - start;
  }

  Json read_number() {
    take('-');
    const bool zero = peek() == '0';
    const std::size_t digits = take_digits();
    if (digits == 0 || (zero && digits > 1)) fail("no value here");
    if (take('.') && take_digits() == 0) fail("digits are missing");
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (take_digits() == 0) fail("digits are missing");
    }
    return Json(Number{});
  }

  std::uint32_t read_hex() {
    std::uint32_t code = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc() || stop != digits.data() + 4) fail("a bad \\u escape");
    at_ += 4;
    return code;
  }

  std::uint32_t read_unicode() {
    const std::uint32_t high = read_hex();
    if (high < 0xD800 || high > 0xDFFF) return high;
    if (high > 0xDBFF || !take('\\') || !take('u')) fail("half a surrogate pair");
    const std::uint32_t low = read_hex();
    if (low < 0xDC00 || low > 0xDFFF) fail("half a surrogate pair");
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }

  std::string read_string() {
    static constexpr std::string_view kEscapes = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    std::string out;
    ++at_;
    while (!take('"')) {
      if (at_ >= text_.size()) fail("a string does not end");
      const char next = text_[at_++];
      if (static_cast<unsigned char>(next) < 0x20) fail("a control character in a string");
      if (next != '\\') {
        out += next;
      } else if (take('u')) {
        append_utf8(out, read_unicode());
      } else {
        const auto which = at_ < text_.size() ? kEscapes.find(text_[at_]) : text_.npos;
        if (which == text_.npos) fail("a bad escape");
        out += kMeanings[which];
        ++at_;
      }
    }
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// A number with at most twelve digits, for statements.
inline std::string written(double value) {
  char text[40];
  const int length = std::snprintf(text, sizeof text, "%.12g", value);
  return std::string(text, static_cast<std::size_t>(length));
}

}  // namespace checker
