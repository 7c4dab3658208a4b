"""What of the ranked evidence goes into the answer, under a token allowance. Lives here: admission
of whole records, the one excerpt, handles for the rest, merging of overlapping passages, and the
order in the prompt. Lives elsewhere: ranking, connecting (core.paths), and the shape of the
envelope, which the caller renders.

Sizes are those of the whole serialized envelope. Tokens merge across seams, so the sizes of single
records only propose what may fit; a count of the final text decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Generic, Protocol, Self, TypeVar

from graphmem.core.provenance import Span

MIN_EXCERPT_TOKENS = 16  # tokens of body; a shorter excerpt tells less than its handle does
EXCERPT_ATTEMPTS = 4  # cuts tried where escaping makes an excerpt larger than its body


class Stageable(Protocol):
    """A record as staging sees it; `text` is the body, the only part that an excerpt shortens."""

    @property
    def id(self) -> str: ...

    @property
    def text(self) -> str: ...

    def with_text(self, text: str) -> Self:
        """The same record with another body."""
        ...


T = TypeVar("T", bound=Stageable)
Element = TypeVar("Element")


@dataclass(frozen=True, slots=True)
class Handle:
    """A record that isn't there whole: its id, and the tokens that it adds to a bare envelope."""

    id: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Which staged record is cut, and how much of its body is shown, in bytes of UTF-8."""

    id: str
    bytes_shown: int
    bytes_total: int


@dataclass(frozen=True, slots=True)
class Staged(Generic[T]):
    """The staged records and the final text, both best first unless the renderer turned them.

    `handles` are all records that aren't there whole, in rank order; the first `listed` of them are
    in the text. `used` + `remaining` is the allowance. `envelope_tokens` is what an envelope
    without records needs: below it nothing is staged and the text is empty.
    """

    items: tuple[T, ...]
    handles: tuple[Handle, ...]
    listed: int
    excerpt: Excerpt | None
    text: str
    used: int
    remaining: int
    envelope_tokens: int

    @property
    def partial(self) -> bool:
        """Whether a record is missing or cut, or the envelope itself had no room."""
        return bool(self.handles) or self.remaining + self.used < self.envelope_tokens


@dataclass(frozen=True, slots=True)
class _Gauge(Generic[T]):
    render: Callable[[Sequence[T], Sequence[Handle]], str]
    count: Callable[[str], int]
    cut: Callable[[str, int], str]
    allowance: int

    def tokens(self, items: Sequence[T], handles: Sequence[Handle] = ()) -> int:
        return self.count(self.render(items, handles))


def stage(
    items: Sequence[T],
    render: Callable[[Sequence[T], Sequence[Handle]], str],
    count: Callable[[str], int],
    cut: Callable[[str, int], str],
    allowance: int,
) -> Staged[T]:
    """Fit the best records, whole, into `allowance` tokens of the rendered envelope.

    `items` come best first. `render` makes the whole envelope of the records and handles given,
    `count` its tokens, and `cut` the beginning of a body within a number of tokens (a tokenizer's
    `excerpt`). A record that doesn't fit is passed over, and a later, smaller one may take the
    room. The first record that could never fit whole is staged as an excerpt with a visible marker,
    in half of the room that is left at its turn, or more where later records leave it. Handles are
    listed in the room that records leave. The text never exceeds the allowance, however small.
    """
    gauge = _Gauge(render, count, cut, allowance)
    bare = gauge.tokens(())
    sizes = [gauge.tokens((item,)) - bare for item in items]
    handles = tuple(Handle(item.id, size) for item, size in zip(items, sizes, strict=True))
    if bare > allowance:
        return Staged((), handles, 0, None, "", 0, allowance, bare)
    offer = _offer(items, sizes, gauge, bare)
    admitted = _admit(offer.items, offer.sizes, gauge, bare)
    staged = tuple(offer.items[index] for index in admitted)
    whole = set(admitted) - {offer.cut_at}
    left = tuple(handle for index, handle in enumerate(handles) if index not in whole)
    listed = _listed(staged, left, gauge)
    text = render(staged, left[:listed])
    used = count(text)
    excerpt = offer.excerpt if offer.cut_at in admitted else None
    return Staged(staged, left, listed, excerpt, text, used, allowance - used, bare)


@dataclass(frozen=True, slots=True)
class _Offer(Generic[T]):
    items: Sequence[T]
    sizes: Sequence[int]
    cut_at: int | None = None
    excerpt: Excerpt | None = None


def _offer(items: Sequence[T], sizes: Sequence[int], gauge: _Gauge[T], bare: int) -> _Offer[T]:
    """The records, with the first that could never fit whole replaced by its excerpt, if any."""
    room = gauge.allowance - bare
    index = next((index for index, size in enumerate(sizes) if size > room), len(sizes))
    if index == len(sizes):
        return _Offer(items, sizes)
    short = _shortened(items[index], _share(sizes, index, room), gauge, bare)
    if short is None:
        return _Offer(items, sizes)
    item, size, excerpt = short
    return _Offer(
        [*items[:index], item, *items[index + 1 :]],
        [*sizes[:index], size, *sizes[index + 1 :]],
        index,
        excerpt,
    )


def _share(sizes: Sequence[int], cut_at: int, room: int) -> int:
    """Room for the excerpt: half of what is left at its turn, or all that later records leave."""
    left = room - sum(sizes[index] for index in _fill(range(cut_at), sizes, room))
    wanted = sum(sizes[index] for index in _fill(range(cut_at + 1, len(sizes)), sizes, left))
    return max(left // 2, left - wanted)


def _fill(indices: Iterable[int], sizes: Sequence[int], room: int) -> list[int]:
    """Greedy in rank order: whatever still fits by its estimate."""
    chosen = []
    for index in indices:
        if sizes[index] <= room:
            chosen.append(index)
            room -= sizes[index]
    return chosen


def _shortened(item: T, share: int, gauge: _Gauge[T], bare: int) -> tuple[T, int, Excerpt] | None:
    """The record within `share` tokens, metadata and marker included; None if that is too few."""
    total = _byte_length(item.text)
    budget = share - (gauge.tokens((item.with_text(_marker(total, total)),)) - bare)
    for _ in range(EXCERPT_ATTEMPTS):
        if budget < MIN_EXCERPT_TOKENS:
            break
        body = gauge.cut(item.text, budget)
        shown = _byte_length(body)
        short = item.with_text(body + _marker(shown, total))
        size = gauge.tokens((short,)) - bare
        if size <= share and body:
            return short, size, Excerpt(item.id, shown, total)
        budget = budget * share // max(size, share + 1) - 1
    return None


def _marker(shown: int, total: int) -> str:
    return f"\n[truncated: {shown} of {total} bytes shown]"


def _byte_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _admit(offers: Sequence[T], sizes: Sequence[int], gauge: _Gauge[T], bare: int) -> list[int]:
    """Indices of what is staged, in rank order: proposed by size, confirmed by a count of all."""
    admitted: list[int] = []
    used, waiting = bare, list(range(len(offers)))
    while chosen := _fill(waiting, sizes, gauge.allowance - used):
        proposed = set(chosen)
        waiting = [index for index in waiting if index not in proposed]
        while chosen:
            trial = sorted(admitted + chosen)
            total = gauge.tokens([offers[index] for index in trial])
            if total <= gauge.allowance:
                admitted, used = trial, total
                break
            _drop(chosen, sizes, total - gauge.allowance)
    return admitted


def _drop(chosen: list[int], sizes: Sequence[int], excess: int) -> None:
    """Take away the last ranked until their estimates cover the excess, at least one."""
    while chosen and excess > 0:
        excess -= max(1, sizes[chosen.pop()])


def _listed(staged: Sequence[T], handles: Sequence[Handle], gauge: _Gauge[T]) -> int:
    """How many of the handles, from the best on, fit beside the staged records."""
    fits, beyond = 0, len(handles) + 1
    trial = len(handles)
    while beyond - fits > 1:
        if gauge.tokens(staged, handles[:trial]) <= gauge.allowance:
            fits = trial
        else:
            beyond = trial
        trial = (fits + beyond) // 2
    return fits


def nearest_last(items: Sequence[Element]) -> list[Element]:
    """Best-first items turned: where the question ends the prompt, the best stands next to it."""
    return list(reversed(items))


@dataclass(frozen=True, slots=True)
class Slice:
    """A verbatim stretch of one revision of a source, and the records that it stands for."""

    ids: tuple[str, ...]
    locator: str
    revision: str
    span: Span
    text: str


def merge_overlaps(slices: Iterable[Slice]) -> list[Slice]:
    """Join slices of the same locator and revision whose byte spans overlap.

    A joined slice takes the best rank of its parts; its ids stand in the order of the text. Slices
    that disagree about shared bytes, or whose text isn't as long as its span, stay apart.
    """
    groups: defaultdict[tuple[str, str], list[tuple[int, Slice]]] = defaultdict(list)
    for rank, part in enumerate(slices):
        groups[part.locator, part.revision].append((rank, part))
    merged = chain.from_iterable(map(_sweep, groups.values()))
    return [part for _, part in sorted(merged, key=lambda ranked: ranked[0])]


def _sweep(ranked: list[tuple[int, Slice]]) -> Iterator[tuple[int, Slice]]:
    ranked.sort(key=lambda pair: (pair[1].span.byte_start, pair[1].span.byte_end, pair[0]))
    best, current = ranked[0]
    for rank, part in ranked[1:]:
        if joined := _joined(current, part):
            best, current = min(best, rank), joined
        else:
            yield best, current
            best, current = rank, part
    yield best, current


def _joined(left: Slice, right: Slice) -> Slice | None:
    """One slice for both, `left` starting no later; None where they don't fit together."""
    first, second = (part.text.encode("utf-8", "surrogatepass") for part in (left, right))
    offset = right.span.byte_start - left.span.byte_start
    overlap = left.span.byte_end - right.span.byte_start
    if overlap <= 0 or not (_as_long_as_span(left, first) and _as_long_as_span(right, second)):
        return None
    if first[offset : offset + len(second)] != second[:overlap]:
        return None
    ends = (left.span, right.span)
    span = Span(
        left.span.byte_start,
        max(end.byte_end for end in ends),
        min(end.line_start for end in ends),
        max(end.line_end for end in ends),
    )
    ids = tuple(dict.fromkeys(left.ids + right.ids))
    text = (first + second[overlap:]).decode("utf-8", "surrogatepass")
    return replace(left, ids=ids, span=span, text=text)


def _as_long_as_span(part: Slice, raw: bytes) -> bool:
    return len(raw) == part.span.byte_end - part.span.byte_start
