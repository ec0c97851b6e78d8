"""The explorer: a local web page to fit, look at and compare optimal trees.

The model is plain Python and knows nothing of the page; the view files are thin.

=============== ==================================================================
module          what it holds
=============== ==================================================================
tables          a table in memory: from a file, an upload, or a bundled set
question        what is asked: target, columns, penalty, limits
job             work in a thread that can be watched and stopped
fitting         a fitted tree with the rows it was fitted on
nodes           what is known of one node: rule, rows, histogram
path            all trees that are optimal for some penalty
alternatives    trees that are nearly as good as the best one
cart            the greedy tree on the same table
comparison      optimal and greedy side by side
downloads       files of a fitted tree
session         the state of one browser tab
server, token   the web server, and who may talk to it
page and views  what is seen
=============== ==================================================================

`treeproof explore` starts it; ``pip install 'treeproof[explore]'`` installs the web
framework it needs.
"""
