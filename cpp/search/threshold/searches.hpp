// The instantiations of the search, one for each loss. They are compiled once (searches.cpp),
// because the prover uses them as well.
#pragma once

#include "loss/absolute_error.hpp"
#include "loss/linear_error.hpp"
#include "search/threshold/best_first/search.hpp"
#include "search/threshold/depth_two/moment_terminal.hpp"
#include "search/threshold/depth_two/terminal.hpp"

namespace treeproof::threshold {

extern template class Search<Misclassification, ClassTerminal>;
extern template class Search<SquaredError, MomentTerminal<Squares>>;
extern template class Search<PoissonDeviance, MomentTerminal<Logs>>;
extern template class Search<AbsoluteError, StumpTerminal<AbsoluteError>>;
extern template class Search<LinearError, StumpTerminal<LinearError>>;

}  // namespace treeproof::threshold
