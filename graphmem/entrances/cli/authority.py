"""The commands about authority: authority check, authority explain. Lives here: them, their words and their JSON. Lives
elsewhere: the rules (core.authority), the file (wiring)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from graphmem.core.authority import Authority, Verdict
from graphmem.core.belief import Belief
from graphmem.core.records import parse_key
from graphmem.entrances.cli import options, shapes
from graphmem.entrances.cli.blocks import Block, Part, line
from graphmem.entrances.cli.call import Call, Command, given
from graphmem.entrances.cli.failures import FINE, NOTHING
from graphmem.entrances.cli.show import said_by
from graphmem.services.disputing import Difference, Page

NAME = "authority"
ABOUT = "Check and explain who weighs how much."


def check(
    call: Call,
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="The rules; default: the file in GRAPHMEM_AUTHORITY.")
    ] = None,
    **details: Any,
) -> int:
    """Validate a file of rules, and show which beliefs it would change."""
    from graphmem.wiring import read_authority

    proposed = read_authority(file)
    with call.read() as memory:
        page = memory.authority_changes(proposed, **given(details))
        inforce = memory.authority
    call.out.answer(call.command, _checked_json(inforce, proposed, page), _checked(inforce, proposed, page))
    return FINE


def _checked_json(inforce: Authority, proposed: Authority, page: Page[Difference]) -> shapes.Json:
    return {
        "file": proposed.name or None,
        "in_force": inforce.name or None,
        "rules": len(proposed.rules),
        "defaults": len(proposed.defaults),
        "changes": [
            {"key": str(d.new.key), "old": shapes.belief_json(d.old), "new": shapes.belief_json(d.new)}
            for d in page.found
        ],
        **shapes.page_json(page),
    }


def _checked(inforce: Authority, proposed: Authority, page: Page[Difference]) -> Iterator[Block]:
    counts = f"rules {len(proposed.rules)}, defaults {len(proposed.defaults)}, all valid"
    yield line(Part(proposed.name or "no configuration", "head"), f": {counts}")
    yield line(f"beliefs that it would change against {inforce.name or 'no configuration'}: {len(page.found)}")
    for found in page.found:
        yield line(
            Part(str(found.new.key), "head"),
            ": ",
            Part(_value(found.old), "warn"),
            " -> ",
            Part(_value(found.new), "good"),
            indent=2,
        )
    yield from more(page)


def _value(belief: Belief) -> str:
    return said_by(belief.winner) if belief.winner else "nothing"


def more(page: Page[Any]) -> Iterator[Block]:
    """Where the next page begins, if there is one."""
    if page.after is not None:
        left = page.count - page.looked_at
        yield line(Part("partial", "warn"), f": keys left {left}; go on with --after '{page.after}'")


def explain(
    call: Call,
    key: Annotated[str, typer.Argument(metavar="KEY", help="ENTITY#ATTRIBUTE or ENTITY#ATTRIBUTE@SCOPE.")],
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A source's locator, as --source names one.")],
    **details: Any,
) -> int:
    """Say which rule decides for a key and a source, and why no other does."""
    from graphmem.wiring import read_authority

    asked, kind = parse_key(key), details.get("kind") or "document"
    rules = read_authority(details.get("file"))
    found = rules.explain(asked, source, kind)
    deciding = rules.deciding(asked, source, kind)
    result = {
        "key": str(asked),
        "source": source,
        "kind": kind,
        "file": rules.name or None,
        "authority": deciding.authority if deciding else None,
        "default": shapes.value_json(rules.default(asked)),
        "rules": [_verdict_json(verdict) for verdict in found],
    }
    call.out.answer(call.command, result, _explained(f"{source} ({kind}) for {asked}", found, rules.default(asked)))
    return FINE if deciding else NOTHING


def _verdict_json(verdict: Verdict) -> shapes.Json:
    rule = verdict.rule
    return {
        "line": rule.line,
        "key": rule.key,
        "source": rule.source,
        "kind": rule.kind,
        "authority": rule.authority,
        "decides": verdict.decides,
        "reason": verdict.reason,
    }


def _explained(asked: str, found: tuple[Verdict, ...], default: str | None) -> Iterator[Block]:
    deciding = next((v.rule for v in found if v.decides), None)
    said = f"authority {deciding.authority}" if deciding else "no rule; it keeps the authority it is written with"
    yield line(Part(asked, "head"), ": ", Part(said, "good" if deciding else "warn"))
    for verdict in found:
        rule = verdict.rule
        yield line(
            Part(f"line {rule.line}", "id"),
            f": key {rule.key}, source {rule.source}, kind {rule.kind}, authority {rule.authority}: ",
            Part(verdict.reason, "good" if verdict.decides else "dim"),
            indent=2,
        )
    if default is not None:
        yield line(f"where nothing is believed: {default}", indent=2)


PAGE: options.Group = (
    options.number("limit", "Keys in dispute to look at; default 100."),
    options.text("after", "Go on after this key.", metavar="KEY"),
)
COMMANDS = (
    Command(f"{NAME} check", check, "graphmem authority check authority.toml", PAGE),
    Command(
        f"{NAME} explain",
        explain,
        "graphmem authority explain vendor:northwind#legal-name contracts/2026.pdf",
        (
            options.text("kind", "The kind of the source; default: document.", metavar="NAME"),
            options.text("file", "The rules; default: the file in GRAPHMEM_AUTHORITY.", metavar="FILE"),
        ),
    ),
)
