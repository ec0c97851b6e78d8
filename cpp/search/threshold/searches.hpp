// The searches there are, one for each loss: compiled once (searches.cpp), since the prover uses
// them as well.
#pragma once

#include "loss/absolute_error.hpp"
#include "search/threshold/moment_terminal.hpp"
#include "search/threshold/search.hpp"
#include "search/threshold/terminal.hpp"

namespace treeproof::threshold {

extern template class Search<Misclassification, ClassTerminal>;
extern template class Search<SquaredError, MomentTerminal>;
extern template class Search<AbsoluteError, StumpTerminal<AbsoluteError>>;

}  // namespace treeproof::threshold
