"""What one Python file says on its own, before other files are looked at. Lives here: the values
that the reader fills and the resolver reads. Lives elsewhere: reading them off the tree
(python_syntax) and linking files (python_resolve)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

# A callee or base class as written: names from left to right, CALL for a pair of call brackets in
# between. The first part is a name, LITERAL for a literal, or EXPRESSION for what has no name.
Chain = tuple[str, ...]
CALL = "()"
LITERAL = "<literal>"
EXPRESSION = "<expression>"

# The index that stands for the file itself where the index of a definition is expected, and the scope of its top level.
FILE = -1
TOP = 0


class Bound(StrEnum):
    """What binds a name: a definition, an import, an instance made in place, a method's first
    parameter, or anything."""

    DEFINITION = "definition"
    MODULE = "module"
    FROM_IMPORT = "from-import"
    CONSTRUCTED = "constructed"
    SELF = "self"
    CLS = "cls"
    OPAQUE = "opaque"


@dataclass(slots=True)
class Binding:
    """One binding of a name in a scope; `conditional` when it sits under if, try, a loop or match.

    `index` is a definition of the same file: the one defined, the class of a first parameter, or a
    variable's entity.
    """

    bound: Bound
    position: int
    conditional: bool = False
    index: int = FILE
    level: int = 0
    module: str = ""
    name: str = ""
    chain: Chain = ()


@dataclass(slots=True)
class Scope:
    """A lexical scope: `kind` is module, class, function (lambdas too) or comprehension; `owner`
    the definition around."""

    kind: str
    parent: int
    owner: int
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: dict[str, int] = field(default_factory=dict)
    receiver: str = ""
    conditional_until: int = 0


@dataclass(slots=True)
class Definition:
    """A class, function, method, test or module-level variable; bytes [start, end) include its
    decorators."""

    kind: str
    name: str
    parent: int
    descriptor: str
    dotted: str
    start: int
    end: int
    content_hash: str
    structural_hash: str
    scope: int = TOP
    bases: tuple[Chain, ...] = ()
    decorators: frozenset[str] = frozenset()
    instance_attributes: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call in a scope; `broken` when it lies where the file couldn't be parsed."""

    scope: int
    chain: Chain
    start: int
    end: int
    broken: bool


@dataclass(frozen=True, slots=True)
class ImportSite:
    """One imported thing: level counts leading dots; `name` is "" for a module, "*" for all of its
    public names."""

    level: int
    module: str
    name: str
    start: int
    end: int


@dataclass(slots=True)
class ModuleFacts:
    """One file: definitions in source order, scopes (the first is the module's), calls, imports and
    syntax errors.

    `exports` is `__all__` where it is one literal list of strings, None where there is none, and
    `opaque_exports` says that it is built in a way that can't be read off.
    """

    path: str
    definitions: list[Definition] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    calls: list[CallSite] = field(default_factory=list)
    imports: list[ImportSite] = field(default_factory=list)
    stars: list[tuple[int, str]] = field(default_factory=list)
    exports: frozenset[str] | None = None
    opaque_exports: bool = False
    error_offsets: list[int] = field(default_factory=list)
    structural_hash: str = ""
