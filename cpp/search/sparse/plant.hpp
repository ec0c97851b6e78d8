// Putting what is known beforehand into a search, and taking out what it has learned.
#pragma once

#include "search/sparse/search.hpp"
#include "search/sparse/warm_start.hpp"

namespace treeproof::sparse {

// Every subtree of a known tree is an upper bound for its rows; every fact a lower one. All
// of it is knowledge like the search's own, so that nothing else has to know about it.
template <class Word>
void plant(Search<Word>& search, const Layout& layout, std::int64_t min_samples_leaf,
           const WarmStart& warm);

template <class Word>
void gather(const Search<Word>& search, WarmStart& warm);

}  // namespace treeproof::sparse
