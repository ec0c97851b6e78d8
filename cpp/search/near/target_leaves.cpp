// Leaves that predict means.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "loss/target_losses.hpp"
#include "search/near/value_tallies.hpp"

namespace treeproof::near {
namespace {

constexpr double kMeanGrid = 0x1p30;

// What is summed over the rows of a set: weights, terms of the loss, each output; and the number of
// table rows.
template <class Phi>
class MomentTallies {
 public:
  using Number = double;
  MomentTallies(const Problem& problem, const CentredTargets& centred, std::int32_t n_outputs)
      : problem_(problem), centred_(std::make_shared<CentredTargets>(centred)),
        loss_(*centred_, n_outputs, Tolerance::relative_to(1.0)), n_outputs_(index(n_outputs)) {
    for (const double value : centred_->values) widest_ = std::max(widest_, std::abs(value));
  }

  std::size_t width() const { return n_outputs_ + 3; }
  void add(Number* tally, std::int32_t row) const {
    const auto r = static_cast<std::uint32_t>(row);
    const double weight = loss_.row_weight(r);
    tally[0] += weight;
    tally[1] += loss_.own(r);
    for (std::size_t k = 0; k < n_outputs_; ++k) tally[2 + k] += weight * loss_.target(r)[k];
    tally[2 + n_outputs_] += static_cast<double>(problem_.samples[index(row)]);
  }
  Leaf leaf(const Number* tally, std::int32_t n_rows) const {
    // A single row has no loss; rounding may leave a small number in the sums.
    double lost = 0.0;
    if (n_rows > 1) lost = std::max(0.0, tally[1] - loss_.explained(tally[0], tally + 2));
    return {std::llround(lost * kTargetUnit), label(tally), n_rows,
            std::llround(tally[2 + n_outputs_])};
  }

 private:
  // A number that identifies the means of a leaf.
  std::int32_t label(const Number* tally) const {
    Key key;
    for (std::size_t k = 0; k < n_outputs_; ++k) {
      const double mean = tally[2 + k] / tally[0] / (widest_ > 0.0 ? widest_ : 1.0);
      const auto place = static_cast<std::uint64_t>(std::llround(mean * kMeanGrid));
      key += random_key(place * n_outputs_ + k);
    }
    const auto next = static_cast<std::int32_t>(labels_->size());
    return labels_->try_emplace(key, next).first->second;
  }

  const Problem& problem_;
  std::shared_ptr<const CentredTargets> centred_;
  MomentLoss<Phi> loss_;
  std::size_t n_outputs_;
  double widest_ = 0.0;
  using Labels = std::unordered_map<Key, std::int32_t, KeyHash>;
  std::shared_ptr<Labels> labels_ = std::make_shared<Labels>();
};

template <class Phi>
std::unique_ptr<Leaves> make(const Problem& problem, LeafRules rules, const CentredTargets& centred,
                             std::int32_t n_outputs) {
  using Tallies = MomentTallies<Phi>;
  return std::make_unique<TalliedLeaves<Tallies>>(problem, std::move(rules),
                                                  Tallies(problem, centred, n_outputs));
}

}  // namespace

std::unique_ptr<Leaves> target_leaves(const Problem& problem, LeafRules rules, Criterion criterion,
                                      const Targets& targets) {
  if (criterion == Criterion::squared_error)
    return make<Squares>(problem, std::move(rules), CentredTargets::for_squared_error(targets),
                         targets.n_outputs);
  if (criterion == Criterion::poisson)
    return make<Logs>(problem, std::move(rules), CentredTargets::for_poisson(targets),
                      targets.n_outputs);
  throw std::invalid_argument("leaves of this criterion do not predict means");
}

}  // namespace treeproof::near
