// The loss of a regression by its criterion. This is the only place that lists all of them.
#pragma once

#include <cstddef>
#include <optional>

#include "loss/absolute_error.hpp"
#include "loss/centred_targets.hpp"
#include "loss/class_counts.hpp"
#include "loss/linear_error.hpp"
#include "loss/moment_loss.hpp"
#include "loss/targets.hpp"
#include "loss/tolerance.hpp"

namespace treeproof {

// Sums and a convex function.
template <class Phi, class Constant, class Prepare, class Use>
auto with_moment_loss(const CentredTargets& centred, const Targets& targets, Constant constant,
                      Prepare prepare, Use use) {
  if (centred.constant) return constant();
  prepare(targets.values.size());
  MomentLoss<Phi> loss(centred, targets.n_outputs, Tolerance::relative_to(1.0));
  if constexpr (!MomentLoss<Phi>::kSquares) {
    const std::optional<ClassCounts> counts = counts_of(targets);
    if (counts) loss.set_counts(&*counts, counts->unit * centred.weights[0] / targets.weights[0]);
    return use(loss);
  } else {
    return use(loss);
  }
}

// Calls `use` with the loss, for targets that are centred and scaled so that a single leaf loses 1,
// or `constant` if a single leaf loses nothing. `prepare` is called in between with the number of
// cells that are read.
template <class Constant, class Prepare, class Use>
auto with_target_loss(Criterion criterion, const Targets& targets, Constant constant,
                      Prepare prepare, Use use) {
  switch (criterion) {
    case Criterion::squared_error:
      return with_moment_loss<Squares>(CentredTargets::for_squared_error(targets), targets,
                                       constant, prepare, use);
    case Criterion::poisson:
      return with_moment_loss<Logs>(CentredTargets::for_poisson(targets), targets, constant,
                                    prepare, use);
    case Criterion::linear: {
      const LinearError loss(CentredTargets::for_squared_error(targets), targets.lines,
                             targets.ridge);
      if (loss.constant()) return constant();
      prepare(targets.values.size() + targets.lines.size());
      return use(loss);
    }
    case Criterion::absolute_error: break;
  }
  const CentredTargets centred = CentredTargets::for_absolute_error(targets);
  if (centred.constant) return constant();
  prepare(targets.values.size());
  return use(AbsoluteError(centred.values, targets.n_outputs, centred.weights, targets.quantiles,
                           Tolerance::relative_to(1.0)));
}

}  // namespace treeproof
