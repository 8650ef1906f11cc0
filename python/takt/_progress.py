"""Progress bars of long runs, with tqdm (optional)."""

from __future__ import annotations

import importlib
import time
from typing import Any, Callable

PIECE_S = 0.1  # of work between two updates of a bar


def bar(ticks: int) -> Any:
    """A bar of tqdm, for a notebook or a terminal."""
    try:
        tqdm = importlib.import_module("tqdm.auto")
    except ImportError:
        raise ImportError("a progress bar needs tqdm: pip install tqdm") from None
    return tqdm.tqdm(total=ticks, unit="tick")


def in_pieces(ticks: int, step: Callable[[int], None]) -> None:
    """Calls step(count) until the counts add up to `ticks`, and draws a bar of them."""
    with bar(ticks) as shown:
        done, piece = 0, 1
        while done < ticks:
            count = min(piece, ticks - done)
            began = time.perf_counter()
            step(count)
            elapsed_s = time.perf_counter() - began
            done += count
            shown.update(count)
            # The first piece is one tick; later ones take about PIECE_S and at most double.
            piece = max(1, min(2 * count, int(count * PIECE_S / max(elapsed_s, 1e-9))))
