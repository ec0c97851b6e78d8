// Enters known bounds and trees into the memo of a search, and extracts what it has learned.
#pragma once

#include "search/sparse/search.hpp"
#include "search/sparse/warm_start.hpp"

namespace treeproof::sparse {

// Every subtree of a known tree gives an upper bound for its rows, and every fact a lower bound.
// They are stored like the bounds of the search itself, so that no other part has to treat them
// specially.
template <class Word>
void seed_memo(Search<Word>& search, const Layout& layout, std::int64_t min_samples_leaf,
               const WarmStart& warm);

template <class Word>
void gather(const Search<Word>& search, WarmStart& warm);

}  // namespace treeproof::sparse
