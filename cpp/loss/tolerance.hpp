// When two real-valued costs count as equal.
//
// A search over doubles closes a subproblem when its bound comes within a relative
// `kRelative` of the cost to beat. Every level of the tree may lose that much once more, and
// no tree that can be proved optimal is deeper than a few dozen levels, so a finished search
// is within 1e-9 of the optimum. `floor` (a fraction 1e-13 of the loss of a single leaf)
// stands for zero: sums of doubles cannot tell smaller losses apart.
#pragma once

namespace treeproof {

struct Tolerance {
  static constexpr double kRelative = 2e-11;
  static constexpr double kFloor = 1e-13;

  double floor = 0.0;

  static Tolerance relative_to(double single_leaf_loss) { return {kFloor * single_leaf_loss}; }
  bool closes(double bound, double best) const {
    return bound >= best - (kRelative * best + floor);
  }
};

}  // namespace treeproof
