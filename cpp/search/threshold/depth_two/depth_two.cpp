#include "search/threshold/depth_two/depth_two.hpp"

#include "search/threshold/depth_two/moment_terminal.hpp"
#include "search/threshold/depth_two/terminal.hpp"

namespace treeproof::threshold {

template class DepthTwo<Misclassification, ClassLanes<std::int16_t>>;
template class DepthTwo<Misclassification, ClassLanes<std::int32_t>>;
template class DepthTwo<SquaredError, MomentLanes<Squares>>;
template class DepthTwo<PoissonDeviance, MomentLanes<Logs>>;
template class DepthTwo<PoissonDeviance, CountLanes>;

}  // namespace treeproof::threshold
