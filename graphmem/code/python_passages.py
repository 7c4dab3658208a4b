"""A Python file as passages. Lives here: which lines belong together. Lives elsewhere: the
definitions (python_syntax).

Each line is in exactly one passage: a function or method with what is nested in it, a class up to
its first method and between methods, and the module's own lines. Comments right above a definition
go with it, and so do blank lines and comments when nothing else stands before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from graphmem.code.python_facts import FILE, Definition
from graphmem.code.spans import LineIndex, claim_anchor, content_hash
from graphmem.core.extraction import Passage

MODULE_ANCHOR = "module"


@dataclass(slots=True)
class _Run:
    """Lines [first, last) that one definition, or the file itself, owns."""

    owner: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class PassageMap:
    """The passages of one file in order, and the anchor of the passage that each line (from 0) is
    in."""

    passages: tuple[Passage, ...]
    anchor_of_line: tuple[str, ...]

    def anchor(self, line: int) -> str:
        """The anchor of the passage with this line, counted from 1; "" in an empty file."""
        last = len(self.anchor_of_line) - 1
        return self.anchor_of_line[min(line - 1, last)] if last >= 0 else ""


def split(path: str, source: bytes, lines: LineIndex, definitions: Sequence[Definition], module: str) -> PassageMap:
    """Cut a file into passages; `module` is its dotted name. Their texts, one after the other, are
    the file."""
    bounds = [start for start in lines.starts if start < len(source)]
    texts = [source[start:end] for start, end in zip(bounds, [*bounds[1:], len(source)], strict=bool(bounds))]
    passages: list[Passage] = []
    anchors: list[str] = []
    taken: dict[str, int] = {}
    for run in _runs(texts, _owners(texts, lines, definitions), definitions):
        data = b"".join(texts[run.first : run.last])
        owner = definitions[run.owner] if run.owner != FILE else None
        anchor = claim_anchor(owner.descriptor if owner else MODULE_ANCHOR, taken)
        anchors.extend([anchor] * (run.last - run.first))
        start = bounds[run.first]
        passages.append(
            Passage(
                path=path,
                anchor=anchor,
                title=f"{module}.{owner.dotted}" if owner else module,
                text=data.decode("utf-8"),
                span=lines.span(start, start + len(data)),
                content_hash=content_hash(data),
                about=f"python {module}/{owner.descriptor if owner else ''}",
            )
        )
    return PassageMap(tuple(passages), tuple(anchors))


def _owners(texts: Sequence[bytes], lines: LineIndex, definitions: Sequence[Definition]) -> list[int]:
    """For each line the innermost definition that is a passage of its own, comments right above it included."""
    owners = [FILE] * len(texts)
    separate = {FILE}
    for index, definition in enumerate(definitions):
        if definition.kind == "variable" or definition.parent not in separate:
            continue
        if definition.kind == "class":
            separate.add(index)
        first, last = lines.row(definition.start), lines.row(definition.end - 1) + 1
        while first and owners[first - 1] == definition.parent and texts[first - 1].lstrip().startswith(b"#"):
            first -= 1
        owners[first:last] = [index] * (last - first)
    return owners


def _runs(texts: Sequence[bytes], owners: Sequence[int], definitions: Sequence[Definition]) -> list[_Run]:
    runs = [
        _Run(owner, numbers[0], numbers[-1] + 1)
        for owner, group in groupby(range(len(owners)), key=lambda number: owners[number])
        for numbers in [list(group)]
    ]
    for position in range(len(runs) - 1, -1, -1):
        run = runs[position]
        container = run.owner == FILE or definitions[run.owner].kind == "class"
        if container and _says_nothing(texts[run.first : run.last], may_comment=position > 0):
            beside = position + 1 if position + 1 < len(runs) else position - 1
            run.owner = runs[beside].owner if beside >= 0 else run.owner
    return _merged(runs)


def _says_nothing(texts: Sequence[bytes], may_comment: bool) -> bool:
    """Whether lines are blank or, below the head of the file, comments."""
    stripped = (text.strip() for text in texts)
    return all(not text or (may_comment and text.startswith(b"#")) for text in stripped)


def _merged(runs: Sequence[_Run]) -> list[_Run]:
    merged: list[_Run] = []
    for run in runs:
        if merged and merged[-1].owner == run.owner:
            merged[-1].last = run.last
        else:
            merged.append(run)
    return merged
