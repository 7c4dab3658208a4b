"""Scores that order candidates. Lives here: BM25 term weights and reciprocal rank fusion. Lives
elsewhere: how text becomes terms (core.analyzer) and walks on the graph (core.pagerank). A score
orders candidates of one method; it is no probability.

Sources: Robertson and Zaragoza 2009 for BM25; Cormack, Clarke and Buettcher 2009 for rank
fusion."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, log
from typing import Any, Protocol, TypeVar

from graphmem.core.errors import InvalidInput

BM25_K1 = 1.2  # no unit; how soon repetition stops paying (Robertson and Zaragoza 2009)
BM25_B = 0.75  # share of length normalisation, 0 to 1 (the same source)
RRF_K = 60  # ranks; damps the lead of first places (Cormack et al. 2009)


class Orderable(Protocol):
    """Anything that can break a tie: a string id, or a tuple that identifies a record."""

    def __hash__(self) -> int: ...

    def __lt__(self, other: Any, /) -> bool: ...


Id = TypeVar("Id", bound=Orderable)


def idf(document_frequency: int, documents: int) -> float:
    """The rarity of a term: ln(1 + (N - n + 0.5) / (n + 0.5)), never negative."""
    return log(1 + (documents - document_frequency + 0.5) / (document_frequency + 0.5))


def length_term(length: int, mean_length: float, k1: float = BM25_K1, b: float = BM25_B) -> float:
    """What a document's length in terms adds to the denominator; `mean_length` is positive."""
    return k1 * (1 - b + b * length / mean_length)


def bm25(
    term_frequency: int,
    document_frequency: int,
    documents: int,
    length: int,
    mean_length: float,
    k1: float = BM25_K1,
    b: float = BM25_B,
) -> float:
    """The weight of one query term in one document.

    It stays below idf · (k1 + 1); with b = 0 length doesn't matter; no occurrence weighs nothing.
    """
    if term_frequency <= 0:
        return 0.0
    damped = term_frequency + length_term(length, mean_length, k1, b)
    return idf(document_frequency, documents) * term_frequency * (k1 + 1) / damped


def bm25_rank(
    query_terms: Iterable[str],
    documents: Mapping[Id, Sequence[str]],
    k1: float = BM25_K1,
    b: float = BM25_B,
) -> list[tuple[Id, float]]:
    """The documents that hold a query term, best first, ties by id; repeated terms count once."""
    wanted = frozenset(query_terms)
    counts = {key: Counter(term for term in terms if term in wanted) for key, terms in documents.items()}
    frequency = Counter(term for found in counts.values() for term in found)
    mean_length = sum(map(len, documents.values())) / max(1, len(documents))
    scores = {
        key: fsum(
            bm25(n, frequency[term], len(documents), len(documents[key]), mean_length, k1, b)
            for term, n in found.items()
        )
        for key, found in counts.items()
        if found
    }
    return best_first(scores)


def rrf(lists: Iterable[Sequence[Id]], k: float = RRF_K) -> list[tuple[Id, float]]:
    """Fuse ranked lists into one, best first, ties by id.

    Each list gives 1 / (k + rank) to what it holds, ranks from 1; a repeated id counts where it
    first stands. Sums are exact before rounding, so the order of lists can't break a tie.

    Raises:
        InvalidInput: `k` isn't positive.
    """
    if k <= 0:
        raise InvalidInput(f"the fusion constant k must be positive, not {k}")
    parts: defaultdict[Id, list[float]] = defaultdict(list)
    for ranked in lists:
        for rank, key in enumerate(dict.fromkeys(ranked), start=1):
            parts[key].append(1 / (k + rank))
    return best_first({key: fsum(shares) for key, shares in parts.items()})


def best_first(scores: Mapping[Id, float]) -> list[tuple[Id, float]]:
    """Scored ids from the highest score down, ties by id."""
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
