"""Pictures of trees and of fits.

=============== ==================================================================
module          what it holds
=============== ==================================================================
layout          where the nodes go: tidy trees with nodes of any size
content         what a node and an edge say
scene           the two together: boxes, lines and texts in points
svg             a scene as SVG, and the HTML that notebooks show
figure          a scene on matplotlib axes
bounds          how the bounds of a fit closed over time
methods         `plot` and ``_repr_html_`` of trees and estimators
=============== ==================================================================

A scene is made once and drawn by either backend, so that the picture in a notebook and
the one in a paper are the same.
"""
