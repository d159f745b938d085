"""Columns become frames, by the library that is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import Any

Column = tuple[str, str, list[Any]]
"""Name, kind (int, int?, float, str, str?), values; with ?, some may be None."""

KNOWN = ("pandas", "polars", "dict")


def maker(frame: str | None) -> Callable[[list[Column]], Any]:
    """What makes frames of columns.

    Raises before anything is computed: ValueError of an unknown name, ImportError where the library is not there.
    """
    if frame is not None and not isinstance(frame, str):
        raise TypeError(f"frame is of type {type(frame).__name__}; it must be a text, one of {', '.join(KNOWN)}")
    if frame is None:
        frame = next((name for name in KNOWN[:2] if find_spec(name) is not None), None)
        if frame is None:
            raise ImportError(
                "neither pandas nor polars is installed; install one of them (pip install pandas), or give "
                'frame="dict" to get columns as lists'
            )
    if frame not in KNOWN:
        raise ValueError(f"frame is {frame!r}; it must be one of {', '.join(KNOWN)}")
    if frame == "dict":
        return lambda columns: {name: values for name, _, values in columns}
    if find_spec(frame) is None:
        raise ImportError(f"{frame} is not installed; install it (pip install {frame}), or leave frame out")
    return _pandas if frame == "pandas" else _polars


def _pandas(columns: Iterable[Column]) -> Any:
    import pandas

    # An integer that may be missing is Int64, whether one is missing or not.
    kinds = {"int": "int64", "int?": "Int64", "float": "float64"}
    series = {}
    for name, kind, values in columns:
        if kind in kinds:
            # A seed may be larger than an int64.
            is_large = kind == "int" and any(value >= 2**63 for value in values)
            dtype = "uint64" if is_large else kinds[kind]
        else:
            # Texts have the type that this version of pandas gives them; of nothing it would make numbers.
            dtype = None if any(value is not None for value in values) else "object"
        series[name] = pandas.Series(values, dtype=dtype)
    return pandas.DataFrame(series)


def _polars(columns: Iterable[Column]) -> Any:
    import polars

    kinds = {
        "int": polars.Int64,
        "int?": polars.Int64,
        "float": polars.Float64,
        "str": polars.String,
        "str?": polars.String,
    }
    series = []
    for name, kind, values in columns:
        is_large = kind == "int" and any(value >= 2**63 for value in values)
        series.append(polars.Series(name, values, dtype=polars.UInt64 if is_large else kinds[kind]))
    return polars.DataFrame(series)
