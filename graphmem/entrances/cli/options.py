"""What can be said on a command line. Lives here: the options, grouped as commands share them, named after the keyword
arguments of Memory. Lives elsewhere: the commands that take them (writes, reads, moves)."""

from __future__ import annotations

from inspect import Parameter
from typing import Annotated, Any

import typer

Group = tuple[Parameter, ...]


def option(name: str, kind: Any, say: str, *, flag: str = "", metavar: str | None = None) -> Parameter:
    """An option that fills the keyword argument `name`; it is absent unless given."""
    flags = (flag or f"--{name.replace('_', '-')}").split()
    made = typer.Option(*flags, help=say, metavar=metavar, show_default=False)
    default: object = False if kind is bool else None
    wanted = kind if kind is bool else kind | None
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[wanted, made])


def text(name: str, say: str, *, flag: str = "", metavar: str = "TEXT") -> Parameter:
    return option(name, str, say, flag=flag, metavar=metavar)


def many(name: str, say: str, *, flag: str = "", metavar: str = "TEXT") -> Parameter:
    return option(name, list[str], f"{say} May be given several times.", flag=flag, metavar=metavar)


def number(name: str, say: str, *, flag: str = "") -> Parameter:
    return option(name, int, say, flag=flag, metavar="N")


def switch(name: str, say: str, *, flag: str = "") -> Parameter:
    return option(name, bool, say, flag=flag)


GLOBAL: Group = (
    text("memory", "The memory: a file, sqlite:///PATH, or memory:. Else GRAPHMEM_MEMORY.", metavar="URL"),
    text("tenant", "Whose memory; else GRAPHMEM_TENANT, else 'default'.", metavar="NAME"),
    text("writer", "Who writes; else GRAPHMEM_WRITER, else the user's name.", metavar="NAME"),
    switch("json", "Print one JSON document, for programs."),
    switch("no_color", "No colours; NO_COLOR in the environment says the same."),
)

ACK: Group = (
    text("ack", "committed: durable. indexed: its jobs are done too (default with extraction).", metavar="NAME"),
)
DRY_RUN: Group = (switch("dry_run", "Show what would fall and rise, and write nothing."),)
PURPOSE: Group = (text("purpose", "Why it is to be kept: asked (default), or conversation.", metavar="NAME"),)
EXPECTED: Group = (
    text("how", "change: the world changed. correct: the old record was wrong.", metavar="change|correct"),
    number("expected_version", "Refuse unless the head of the key has this version."),
)
BECAUSE: Group = (many("because", "A record that this was concluded from.", metavar="ID"),)
INFORMANT: Group = (text("informant", "The rule or method that draws the conclusion; default: the writer."),)
MODE: Group = (
    text("mode", "intersect: ends with its antecedents. timeless: outlasts them.", metavar="intersect|timeless"),
)
ROLE: Group = (
    text("role", "source, observation, claim, inference or summary.", metavar="ROLE"),
    text("kind", "episodic, semantic or procedural.", metavar="KIND"),
)
KEY: Group = (text("key", "What the record speaks to: ENTITY#ATTRIBUTE or ENTITY#ATTRIBUTE@SCOPE.", metavar="KEY"),)
STATEMENT: Group = (
    text("value", "The value for the key, as JSON or plain text.", metavar="VALUE"),
    many("mentions", "A name that the text speaks of.", flag="--mention", metavar="NAME"),
    text("observed_at", "When it was observed; default: now.", metavar="TIME"),
    text("valid_from", "From when it holds.", metavar="TIME"),
    text("valid_to", "Until when it holds, not included.", metavar="TIME"),
    number("authority", "How much it weighs against others for the same key."),
    text("context", "Where the text stood: a heading, a task.", metavar="TEXT"),
    text("policy", "The access policy that may read it.", metavar="NAME"),
    text("sensitivity", "Its sensitivity class.", metavar="NAME"),
    text("retention", "Its retention class.", metavar="NAME"),
    text("evidence_status", "Its standing as evidence, such as hypothesis.", metavar="NAME"),
)
SOURCE: Group = (
    text("source", "Where it comes from: a path, an address, a message.", metavar="LOCATOR"),
    text("source_kind", "What kind of source that is.", metavar="NAME"),
    text("revision", "The source's revision.", metavar="NAME"),
    many("conditions", "Under what it was observed.", flag="--condition", metavar="NAME=VALUE"),
    text("recorded_at", "When the source recorded it.", metavar="TIME"),
    text("subject", "The person that it is about.", metavar="NAME"),
    text("owner", "Who owns the source.", metavar="NAME"),
    text("scope", "What its use is limited to.", metavar="NAME"),
    text("consent", "The consent that it rests on.", metavar="NAME"),
)
OVERRIDE: Group = (text("override", "Why it is kept although it was forgotten; is recorded.", metavar="REASON"),)
ASSERTED_BY: Group = (text("source", "Only the assertions from this source.", metavar="LOCATOR"),)
CLOCKS: Group = (
    text("at", "As of this valid time; default: now.", metavar="TIME"),
    text("known_at", "As it was known then: a commit number or a time.", metavar="N|TIME"),
    many("policies", "Read only what this access policy allows.", metavar="NAME"),
)
PROOF: Group = (number("limit", "Records that a proof may hold; default 1000."),)
WHY: Group = (
    number("depth", "Justifications that a proof may go up; default: to its premises."),
    number("alternatives", "Show at most so many minimal sets of premises."),
    text("format", "A drawing for reports.", metavar="mermaid|dot"),
)
RECALL: Group = (
    number("limit", "Records wanted; default 10."),
    number("budget", "Tokens that the answer may take; default 2000."),
    number("depth", "Hops from what the question names; default 3."),
    number("max_nodes", "Nodes looked at; default 400."),
    number("max_edges", "Edges looked at; default 4000."),
    number("deadline_ms", "Milliseconds after which the answer is cut short."),
    text("revision", "A repository's state: REVISION, or REPOSITORY=REVISION.", metavar="NAME"),
    text("cursor", "Go on where an earlier answer ended.", metavar="CURSOR"),
)
INGEST: Group = (
    text("repository", "What to call it; default: the folder's name.", metavar="NAME"),
    text("revision", "A commit, branch or tag to read; elsewhere a name for this state.", metavar="NAME"),
    text("policy", "The access policy that may read it.", metavar="NAME"),
    switch("replace", "Take the place of a state that shares no file with this one."),
    *OVERRIDE,
)


def union(*groups: Group) -> Group:
    """Several groups as one; of options with one name the first stays."""
    found: dict[str, Parameter] = {}
    for parameter in (p for group in groups for p in group):
        found.setdefault(parameter.name, parameter)
    return tuple(found.values())
