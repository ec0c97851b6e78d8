#include "search/threshold/searches.hpp"

namespace treeproof::threshold {

template class Search<Misclassification, ClassTerminal>;
template class Search<SquaredError, MomentTerminal<Squares>>;
template class Search<PoissonDeviance, MomentTerminal<Logs>>;
template class Search<AbsoluteError, StumpTerminal<AbsoluteError>>;
template class Search<LinearError, StumpTerminal<LinearError>>;

}  // namespace treeproof::threshold
