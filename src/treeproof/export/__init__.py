"""Trees for other programs: one file for each format.

=============== ==================================================================
module          what it makes
=============== ==================================================================
sql             a ``CASE`` expression or a ``SELECT``, in any dialect of sqlglot
onnx            an ONNX model
python          the source of a function that needs no library
json            the document that also is our file format; safe to load
dot             a Graphviz drawing
rules           one if-then rule for each leaf
sklearn         a fitted scikit-learn tree
=============== ==================================================================

All of them see a tree through `branches`, a list of conditions and targets for each
node of which the first that holds is taken, and take what a node predicts from
`payload`. Each makes the predictions of ``predict``, those for unseen categories
included. `methods.TreeExports` gives trees and estimators their ``to_...`` methods.
"""
