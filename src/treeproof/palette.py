"""Colours of the classes in all pictures, told apart by colour-blind readers.

The palette is that of Okabe and Ito, whose colours also differ in lightness. More than
eight classes start again from the beginning, lighter each time.
"""

from __future__ import annotations

__all__ = ["INK", "MUTED", "class_colour", "mixed", "text_on"]

_OKABE_ITO = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#f0e442",
    "#7f7f7f",
)
INK = "#1b1f24"
MUTED = "#5f6b76"


def class_colour(k: int) -> str:
    """Return the colour of the class with this number.

    Examples
    --------
    >>> class_colour(0), class_colour(8)
    ('#0072b2', '#8cc0dc')
    """
    turn = k // len(_OKABE_ITO)
    return mixed(_OKABE_ITO[k % len(_OKABE_ITO)], 0.45**turn)


def mixed(colour: str, share: float, ground: str = "#ffffff") -> str:
    """Return a colour laid thinly over a ground; share 1 is the colour itself.

    Examples
    --------
    >>> mixed("#000000", 0.5)
    '#808080'
    """
    parts = zip(_channels(colour), _channels(ground), strict=True)
    return "#" + "".join(f"{round(share * c + (1 - share) * g):02x}" for c, g in parts)


def text_on(colour: str) -> str:
    """Return black or white, whichever is read better on this colour.

    Examples
    --------
    >>> text_on("#0072b2"), text_on("#f0e442")
    ('#ffffff', '#1b1f24')
    """
    linear = [
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
        for c in (v / 255 for v in _channels(colour))
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#ffffff" if luminance < 0.22 else INK


def _channels(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
