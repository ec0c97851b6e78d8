"""The methods `plot`, `to_svg` and ``_repr_html_`` of trees and estimators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treeproof.picture.scene import Scene
    from treeproof.tree import Tree

__all__ = ["EstimatorPictures", "TreePictures"]


class TreePictures:
    """A mixin with the pictures of a class that has a tree."""

    def _exported(self) -> Tree:
        """Return the tree to draw."""
        raise NotImplementedError

    def _caption(self) -> str | None:
        return None

    def plot(
        self,
        ax: Any = None,
        *,
        orientation: str = "auto",
        units: Mapping[str, str] | None = None,
        caption: bool = True,
        details: bool = False,
        smoothing: float = 0.0,
    ) -> Any:
        """Draw the tree with matplotlib; needs ``pip install 'treeproof[plot]'``.

        Inner nodes show the column they test, leaves their prediction; both show how
        many rows they hold and, as a bar, the shares of the classes. The colours are
        told apart by colour-blind readers.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure of the right size by default.
        orientation : {"auto", "down", "right"}, default="auto"
            Where the tree grows; "auto" is down for up to nine leaves.
        units : mapping or None, default=None
            Units by column name, written after thresholds.
        caption : bool, default=True
            Write the certificate below the tree of an estimator.
        details : bool, default=False
            Leaves also show the rows of each class and a 95% confidence interval.
        smoothing : float, default=0.0
            What Laplace smoothing adds to the weight of each class, for the share that
            leaves show.

        Returns
        -------
        matplotlib axes
            ``ax.figure.savefig("tree.pdf")`` writes the picture to a file.
        """
        from treeproof.picture.figure import new_figure, plot_scene

        scene = self.picture_scene(
            orientation=orientation,
            units=units,
            caption=caption,
            details=details,
            smoothing=smoothing,
        )
        return plot_scene(scene, new_figure(scene) if ax is None else ax)

    def to_svg(
        self,
        *,
        orientation: str = "auto",
        units: Mapping[str, str] | None = None,
        caption: bool = True,
        details: bool = False,
        smoothing: float = 0.0,
    ) -> str:
        """Return the same picture as SVG text; needs no other package.

        Parameters
        ----------
        orientation : {"auto", "down", "right"}, default="auto"
            Where the tree grows.
        units : mapping or None, default=None
            Units by column name, written after thresholds.
        caption : bool, default=True
            Write the certificate below the tree of an estimator.
        details : bool, default=False
            Leaves also show the rows of each class and a 95% confidence interval.
        smoothing : float, default=0.0
            What Laplace smoothing adds to the weight of each class, for the share that
            leaves show.
        """
        from treeproof.picture.svg import to_svg

        return to_svg(
            self.picture_scene(
                orientation=orientation,
                units=units,
                caption=caption,
                details=details,
                smoothing=smoothing,
            )
        )

    def picture_scene(
        self,
        *,
        orientation: str = "auto",
        units: Mapping[str, str] | None = None,
        caption: bool = True,
        details: bool = False,
        smoothing: float = 0.0,
    ) -> Scene:
        """Return the picture as a scene of boxes, lines and texts."""
        from treeproof.picture.scene import tree_scene

        return tree_scene(
            self._exported(),
            orientation=orientation,
            units=units,
            caption=self._caption() if caption else None,
            details=details,
            smoothing=smoothing,
        )


class EstimatorPictures(TreePictures):
    """A mixin for estimators; notebooks show the tree of a fitted one.

    It stands before scikit-learn's base class, which shows the parameters.
    """

    def _caption(self) -> str:
        return str(self.certificate())  # type: ignore[attr-defined]

    def _repr_html_inner(self) -> str:
        if not hasattr(self, "tree_"):
            return super()._repr_html_inner()  # type: ignore[misc]
        from treeproof.picture.svg import estimator_html

        return estimator_html(self, self.to_svg(caption=False))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle
