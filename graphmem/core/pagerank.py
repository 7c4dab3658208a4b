"""Personalized PageRank on a bounded subgraph that is already in memory. Lives here: the power
iteration on numpy arrays. Lives elsewhere: fetching the neighbourhood, and choosing what to keep of
it (core.paths).

Source: Page, Brin, Motwani and Winograd 1999; the personal teleport also takes the mass of nodes
without a way out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmem.core.errors import InvalidInput

DAMPING = 0.85  # chance of following an edge rather than going back to a seed (Page et al. 1999)
TOLERANCE = 1e-9  # sum of absolute changes between two rounds at which the scores count as settled
MAX_ITERATIONS = 200  # rounds; at damping 0.85 a change of 2 shrinks below the tolerance in 132

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Scores by node index, summing to 1; `converged` is False when the rounds ran out first."""

    scores: Floats
    iterations: int
    converged: bool


def personalized_pagerank(
    size: int,
    sources: ArrayLike,
    targets: ArrayLike,
    weights: ArrayLike,
    seeds: Mapping[int, float],
    damping: float = DAMPING,
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
) -> Ranks:
    """Where a walker who keeps returning to the seeds spends the time.

    Nodes are 0 to `size` - 1; edge i leads from `sources[i]` to `targets[i]`, and parallel edges
    add up. A node whose outgoing weights sum to 0 sends its mass to the seeds. Seed weights are
    relative.

    Raises:
        InvalidInput: arrays of unequal length, an index outside the graph, a weight that is
            negative or not finite, no seed with a positive weight, or a damping outside [0, 1).
    """
    tails, heads = np.asarray(sources, dtype=np.intp), np.asarray(targets, dtype=np.intp)
    strengths = np.asarray(weights, dtype=np.float64)
    _check(size, tails, heads, strengths, damping)
    teleport = _teleport(size, seeds)
    out = _sums(tails, strengths, size)
    stuck = out == 0
    shares = damping * strengths / np.where(stuck, 1.0, out)[tails]
    scores = teleport
    for iteration in range(1, max_iterations + 1):
        moved = _sums(heads, scores[tails] * shares, size)
        moved += (1 - damping + damping * scores[stuck].sum()) * teleport
        change = float(np.abs(moved - scores).sum())
        scores = moved
        if change < tolerance:
            return Ranks(scores, iteration, True)
    return Ranks(scores, max_iterations, False)


def _sums(nodes: Indices, amounts: Floats, size: int) -> Floats:
    return np.bincount(nodes, weights=amounts, minlength=size).astype(np.float64, copy=False)


def _check(size: int, tails: Indices, heads: Indices, weights: Floats, damping: float) -> None:
    if not len(tails) == len(heads) == len(weights):
        raise InvalidInput(f"{len(tails)} sources, {len(heads)} targets and {len(weights)} weights don't pair up")
    for ends in (tails, heads):
        if ends.size and (ends.min() < 0 or ends.max() >= size):
            raise InvalidInput(f"an edge leads outside the {size} nodes of the graph")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise InvalidInput("an edge weight is negative or not a finite number")
    if not 0 <= damping < 1:
        raise InvalidInput(f"damping must be at least 0 and below 1, not {damping}")


def _teleport(size: int, seeds: Mapping[int, float]) -> Floats:
    teleport: Floats = np.zeros(size)
    for node, weight in seeds.items():
        if not 0 <= node < size:
            raise InvalidInput(f"seed {node} is outside the {size} nodes of the graph")
        teleport[node] = weight
    total = float(teleport.sum())
    if not (np.isfinite(total) and total > 0 and (teleport >= 0).all()):
        raise InvalidInput("seeds need finite weights, none negative and at least one positive")
    teleport /= total
    return teleport
