"""The shape in which all data sets are returned."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

__all__ = ["bundle"]


def bundle(
    data: NDArray[Any],
    target: NDArray[Any],
    feature_names: list[str],
    description: str,
    *,
    as_frame: bool,
    return_X_y: bool,
    target_name: str = "class",
    **more: Any,
) -> Any:
    """Return a Bunch or (X, y), with arrays or pandas objects."""
    X: Any = data
    y: Any = target
    if as_frame:
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "as_frame=True needs pandas; install it or use as_frame=False."
            ) from None
        X = pd.DataFrame(data, columns=feature_names)
        y = pd.Series(target, name=target_name)
    if return_X_y:
        return X, y
    frame = X.assign(**{target_name: y}) if as_frame else None
    return Bunch(
        data=X,
        target=y,
        frame=frame,
        feature_names=feature_names,
        target_names=np.unique(target),
        DESCR=description,
        **more,
    )
