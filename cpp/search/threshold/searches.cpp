#include "search/threshold/searches.hpp"

namespace treeproof::threshold {

template class Search<Misclassification, ClassTerminal>;
template class Search<SquaredError, MomentTerminal>;
template class Search<AbsoluteError, StumpTerminal<AbsoluteError>>;

}  // namespace treeproof::threshold
