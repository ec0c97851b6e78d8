// Finds which points of a view each column excludes and which it may exclude (its zone).
//
// The two parts of a fuzzy box differ from it in one column, and tightening changes a few more. So
// the zones of the whole box are computed once, and those of a part by the columns that differ.
#include <algorithm>

#include "bounds/prices/marks.hpp"
#include "bounds/prices/relaxation.hpp"

namespace treeproof::prices {

namespace {

constexpr std::uint16_t kOut = 1;
constexpr std::uint16_t kZone = 2;

}  // namespace

// Marks the points that one column excludes and those in its zone, and updates the sums over all
// columns by what has changed. Sums and differences are modulo 2^16.
void Relaxation::mark(std::size_t j, const LocalRange& range, const std::uint8_t* values,
                      const std::uint16_t* before, std::uint16_t* zone) {
  const OpenColumn& open = open_[j];
  const std::size_t m = outer_.size();
  const std::uint16_t* code = codes_.data() + open.codes;
  const auto column = static_cast<std::uint16_t>(j);
  std::uint16_t* outside = outside_.data();
  std::uint16_t* zones = zones_.data();
  std::uint16_t* zone_sum = zone_sum_.data();
  work_ += static_cast<std::int64_t>(m / 8 + 1);
  if (open.choice == Choice::interval) {
    const auto low = static_cast<Word>(2 * range.low_first);
    const auto high = static_cast<Word>(2 * range.high_last);
    // The values that every interval of the range keeps, if there are any; the points with other
    // values form the zone. No code is 0xffff, so without common values all points are in the zone.
    const bool has_common = range.low_last <= range.high_first;
    const auto common_low = static_cast<Word>(has_common ? 2 * range.low_last : 0xffff);
    const auto common_high = static_cast<Word>(has_common ? 2 * range.high_first : 0xffff);
    mark_outside(code, m, low, high, outside);
    mark_outside_anew(code, m, common_low, common_high, zone);
  } else {
    for (std::int32_t v = 0; v <= open.n; ++v) {
      const std::uint8_t state = v < open.n ? values[v] : std::uint8_t{out};
      std::uint16_t flag = 0;
      if (open.choice == Choice::subset) {
        flag = state == out ? kOut : state == ValueState::open ? kZone : std::uint16_t{0};
      } else if (range.all) {
        // If the choices left are one value and all values together, both keep the points of that
        // value.
        const bool kept = range.n_options == 1 || (range.n_options == 2 && state != out);
        flag = kept ? std::uint16_t{0} : kZone;
      } else {
        flag = state == out ? kOut : range.n_options > 1 ? kZone : std::uint16_t{0};
      }
      flags_[index(v)] = flag;
    }
    for (std::size_t i = 0; i < m; ++i) {
      const std::uint16_t flag = flags_[code[i]];
      outside[i] = static_cast<std::uint16_t>(outside[i] | (flag & kOut));
      zone[i] = static_cast<std::uint16_t>(flag >> 1);
    }
  }
  add_change(zone, before, m, column, zones, zone_sum);
}

void Relaxation::mark_whole() {
  const std::size_t m = outer_.size();
  const std::size_t k = open_.size();
  outside_.assign(m, 0);
  zones_.assign(m, 0);
  zone_sum_.assign(m, 0);
  before_.assign(m, 0);
  zone_.resize(2 * m * k);
  for (std::size_t j = 0; j < k; ++j)
    mark(j, whole_.ranges[j], whole_.values.data() + open_[j].first, before_.data(),
         zone_.data() + j * m);
  whole_outside_ = outside_;
  whole_zones_ = zones_;
  whole_zone_sum_ = zone_sum_;
}

void Relaxation::start_marks() {
  outside_ = whole_outside_;
  zones_ = whole_zones_;
  zone_sum_ = whole_zone_sum_;
  marked_ = whole_.ranges;
  zone_of_.resize(open_.size());
  for (std::size_t j = 0; j < open_.size(); ++j) zone_of_[j] = zone_.data() + j * outer_.size();
}

// Updates the marks for `box`, some of whose choices have been ruled out since the last call.
void Relaxation::update_marks(const LocalBox& box) {
  const std::size_t m = outer_.size();
  std::uint16_t* own = zone_.data() + m * open_.size();
  for (std::size_t j = 0; j < open_.size(); ++j, own += m) {
    if (box.ranges[j] == marked_[j]) continue;
    marked_[j] = box.ranges[j];
    before_.assign(zone_of_[j], zone_of_[j] + m);
    mark(j, box.ranges[j], box.values.data() + open_[j].first, before_.data(), own);
    zone_of_[j] = own;
  }
}

}  // namespace treeproof::prices
