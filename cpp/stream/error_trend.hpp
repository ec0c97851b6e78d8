// The mistakes of a learner over time: whether they have become more frequent, and since when.
//
// A drift detector reports any change; only a change for the worse is drift, so mistakes among the
// last rows must be more frequent than in the longer past. Where the new concept began is estimated
// by a cumulative sum (Page, 1954) of the mistakes beyond the usual ones: it returns to zero again
// and again until the change. The width of ADWIN's window cannot be used for this, because at the
// first alarm it still spans mostly old rows.
#pragma once

#include <cstdint>

namespace treeproof::stream {

struct ErrorTrend {
  static constexpr double kRecentRows = 50.0;
  static constexpr double kPastRows = 1000.0;
  static constexpr double kSlack = 0.1;

  double recent = 0.5;  // share of mistakes among the last rows, decaying
  double past = 0.5;    // the same over a longer time
  double sum = 0.0;
  std::int64_t since = 0;  // rows since the cumulative sum was zero

  void update(bool mistake) {
    const double x = mistake ? 1.0 : 0.0;
    sum += x - past - kSlack;
    ++since;
    if (sum <= 0.0) {
      sum = 0.0;
      since = 0;
    }
    recent += (x - recent) / kRecentRows;
    past += (x - past) / kPastRows;
  }

  bool worse() const { return recent > past; }

  // The rows since the change; from now on the new concept is the usual one.
  std::int64_t restart() {
    const std::int64_t rows = since;
    past = recent;
    sum = 0.0;
    since = 0;
    return rows;
  }
};

}  // namespace treeproof::stream
