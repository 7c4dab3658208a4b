"""Names to definitions across the files of one repository. Lives here: lexical scopes, imports and
re-exports, classes with their bases (C3 order), `self`, and instances made in the same scope. Lives
elsewhere: value flow, which is another level.

A name that could mean two things means nothing here: the answer is Unknown with a reason, never a
guess. Sources: "Naming and binding" in the Python language reference; Barrett et al., "A Monotonic
Superclass Linearization for Dylan" (C3)."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from graphmem.code.python_facts import (
    CALL,
    EXPRESSION,
    FILE,
    LITERAL,
    TOP,
    Binding,
    Bound,
    CallSite,
    Chain,
    Definition,
    ModuleFacts,
)
from graphmem.code.python_modules import ModuleIndex

_BUILTINS = frozenset(dir(builtins))
# Decorators that turn a method into a value: calling the attribute calls what the method returned.
_VALUE_DECORATORS = frozenset({"property", "cached_property", "abstractproperty", "setter", "getter", "deleter"})
# Longer chains of re-exports or base classes are given up on: a hostile repository must not exhaust the stack.
MAX_HOPS = 40


class Value(NamedTuple):
    """What a name means. `kind` is function, class, instance (of the class), variable, module, or
    unknown.

    `path` and `ordinal` name a definition; of a module, `path` is its key; of an unknown, the
    reason.
    """

    kind: str
    path: str
    ordinal: int = FILE


def unknown(reason: str) -> Value:
    """A value that isn't known, for one of the reasons of an unresolved site or `MISSING`."""
    return Value("unknown", reason)


EXTERNAL, BUILTIN, OPAQUE = unknown("external"), unknown("builtin"), unknown("opaque")
_MISSING = unknown("missing")


class Resolver:
    """Answers what chains of names mean, over the facts of all files of a repository; answers are
    remembered."""

    def __init__(self, modules: Mapping[str, ModuleFacts], index: ModuleIndex) -> None:
        self._modules = modules
        self._index = index
        self._attributes: dict[tuple[str, str], Value] = {}
        self._orders: dict[Value, tuple[Value, ...]] = {}
        self._hops = 0

    def definition(self, value: Value) -> Definition:
        """The definition behind a function, class, instance or variable."""
        return self._modules[value.path].definitions[value.ordinal]

    def call(self, path: str, site: CallSite) -> Value:
        """What a call site calls: a function or class, or an unknown with the reason of an
        unresolved site."""
        if site.broken:
            return unknown("syntax-error")
        value = self.chain(path, site.scope, site.chain, site.start)
        if value.kind in ("function", "class"):
            return value
        if value in (EXTERNAL, BUILTIN):
            return value
        named = len(site.chain) > 1 and site.chain[-1] != CALL
        return unknown("unknown-receiver" if named else "dynamic")

    def chain(self, path: str, scope: int, chain: Chain, position: int) -> Value:
        """What a chain written at `position` in a scope means."""
        head, *rest = chain
        if head == LITERAL:
            value = BUILTIN
        elif head == EXPRESSION:
            value = OPAQUE
        else:
            value = self._name(path, scope, head, position)
        for part in rest:
            value = _called(value) if part == CALL else self.attribute(value, part)
        return value

    def attribute(self, value: Value, name: str) -> Value:
        """What an attribute of a value means."""
        if value.kind == "module":
            found = self.member(value.path, name)
            return EXTERNAL if found == _MISSING and self._index.file(value.path) is None else found
        if value.kind in ("class", "instance"):
            return self.class_attribute(value, name)
        return value if value in (EXTERNAL, BUILTIN) else OPAQUE

    def imported(self, path: str, level: int, module: str, name: str) -> Value:
        """What `from module import name` gives in a file; `name` "" is the module itself."""
        key = self._index.resolve(path, level, module)
        if key is None:
            return EXTERNAL
        return self.attribute(Value("module", key), name) if name else Value("module", key)

    def member(self, key: str, name: str) -> Value:
        """A name of a module after it has run: bound there, else a submodule, else from a star
        import."""
        known = self._attributes.get((key, name))
        if known is not None:
            return known
        if self._hops >= MAX_HOPS:
            return OPAQUE
        below = self._index.child(key, name)
        self._attributes[key, name] = OPAQUE if below is None else Value("module", below)
        self._hops += 1
        self._attributes[key, name] = self._find_member(key, name)
        self._hops -= 1
        return self._attributes[key, name]

    def _find_member(self, key: str, name: str) -> Value:
        path = self._index.file(key)
        bindings = self._modules[path].scopes[TOP].bindings.get(name) if path else None
        if path and bindings:
            return self._choose(path, TOP, bindings, None)
        below = self._index.child(key, name)
        if below is not None:
            return Value("module", below)
        return self._from_stars(path, name) if path else _MISSING

    def _from_stars(self, path: str, name: str) -> Value:
        """A name that star imports bring, the last one first; one from outside might bring any
        name."""
        for level, module in reversed(self._modules[path].stars):
            key = self._index.resolve(path, level, module)
            origin = self._index.file(key) if key is not None else None
            if key is None or origin is None:
                return EXTERNAL
            facts = self._modules[origin]
            if facts.opaque_exports:
                return OPAQUE
            public = name in facts.exports if facts.exports is not None else name[0] != "_"
            found = self.member(key, name) if public else _MISSING
            if found != _MISSING:
                return found
        return _MISSING

    def _name(self, path: str, scope: int, name: str, position: int) -> Value:
        """A bare name, looked up from a scope outwards; class scopes are seen only from directly
        inside."""
        scopes = self._modules[path].scopes
        current, innermost, here = scope, True, True
        while current != FILE:
            found = scopes[current]
            bindings = found.bindings.get(name) if innermost or found.kind != "class" else None
            if bindings:
                return self._choose(path, current, bindings, position if here else None)
            here = here and found.kind == "comprehension"
            innermost = False
            current = found.parent
        found_value = self._from_stars(path, name)
        if found_value.kind != "unknown" or name not in _BUILTINS:
            return OPAQUE if found_value == _MISSING else found_value
        return BUILTIN

    def _choose(self, path: str, scope: int, bindings: Sequence[Binding], position: int | None) -> Value:
        """The one value that these bindings leave, seen from `position` in their scope or, None,
        when all has run."""
        if len(bindings) > 1 and any(binding.bound in _ONCE_ONLY for binding in bindings):
            variables = {binding.index for binding in bindings}
            (index, *others) = variables
            at_top = scope == TOP and not others and index != FILE
            return Value("variable", path, index) if at_top else OPAQUE
        visible: Sequence[Binding] = bindings
        if position is not None:
            visible = [b for b in bindings if b.position < position] or bindings
        last = max((i for i, b in enumerate(visible) if not b.conditional), default=0)
        values = {self._value(path, scope, b, position) for b in visible[last:]}
        return values.pop() if len(values) == 1 else OPAQUE

    def _value(self, path: str, scope: int, binding: Binding, position: int | None) -> Value:
        match binding.bound:
            case Bound.DEFINITION:
                found = self._modules[path].definitions[binding.index]
                return Value("class" if found.kind == "class" else "function", path, binding.index)
            case Bound.MODULE | Bound.FROM_IMPORT:
                return self.imported(path, binding.level, binding.module, binding.name)
            case Bound.SELF | Bound.CLS:
                kind = "instance" if binding.bound is Bound.SELF else "class"
                return Value(kind, path, binding.index)
            case Bound.CONSTRUCTED if position is not None and self._hops < MAX_HOPS:
                self._hops += 1
                made = self.chain(path, scope, (*binding.chain, CALL), binding.position)
                self._hops -= 1
                return made if made.kind == "instance" else OPAQUE
        return Value("variable", path, binding.index) if binding.index != FILE else OPAQUE

    def class_attribute(self, value: Value, name: str) -> Value:
        """An attribute found along the bases of a class, or through an instance that nobody gave
        its own one."""
        order = self.order(Value("class", value.path, value.ordinal))
        if value.kind == "instance" and any(
            name in self.definition(base).instance_attributes for base in order if base.kind == "class"
        ):
            return OPAQUE
        for base in order:
            if base.kind != "class":
                return EXTERNAL
            scope = self.definition(base).scope
            bindings = self._modules[base.path].scopes[scope].bindings.get(name)
            if bindings:
                found = self._choose(base.path, scope, bindings, None)
                return OPAQUE if self._gives_value(found) else found
        return OPAQUE

    def _gives_value(self, found: Value) -> bool:
        if found.kind != "function":
            return found.kind != "class"
        return not _VALUE_DECORATORS.isdisjoint(self.definition(found).decorators)

    def order(self, value: Value) -> tuple[Value, ...]:
        """The method resolution order; a base from outside of the repository stands in it as an
        unknown."""
        known = self._orders.get(value)
        if known is not None:
            return known
        self._orders[value] = (value, _unknown_base(value))
        if self._hops < MAX_HOPS:
            self._hops += 1
            bases = self.bases(value)
            orders = [self.order(base) if base.kind == "class" else (base,) for base in bases]
            self._orders[value] = _merge(value, orders, bases)
            self._hops -= 1
        return self._orders[value]

    def bases(self, value: Value) -> list[Value]:
        """The base classes, `object` left out; one that isn't a class of this repository is an
        unknown by its name."""
        definition = self.definition(value)
        scope = self._modules[value.path].scopes[definition.scope].parent
        found = []
        for chain in definition.bases:
            base = self.chain(value.path, scope, chain, definition.start)
            if base.kind == "class":
                found.append(base)
            elif chain != ("object",):
                named = EXPRESSION not in chain and CALL not in chain
                found.append(unknown(f"base {chain[-1]}") if named else _unknown_base(value))
        return found


def _unknown_base(value: Value) -> Value:
    """A base that is like no other."""
    return unknown(f"base of {value.path} {value.ordinal}")


# Bindings that tell a value only where they are the name's only one.
_ONCE_ONLY = frozenset({Bound.OPAQUE, Bound.CONSTRUCTED, Bound.SELF, Bound.CLS})


def _called(value: Value) -> Value:
    if value.kind == "class":
        return Value("instance", value.path, value.ordinal)
    return value if value == EXTERNAL else OPAQUE


def _merge(value: Value, orders: Iterable[Sequence[Value]], bases: Sequence[Value]) -> tuple[Value, ...]:
    """C3: the class, then heads that are in no tail; where that fails, nothing is known beyond the
    class."""
    pending = [list(order) for order in (*orders, bases) if order]
    merged = [value]
    while pending:
        tails = {entry for order in pending for entry in order[1:]}
        head = next((order[0] for order in pending if order[0] not in tails), None)
        if head is None:
            return (value, _unknown_base(value))
        merged.append(head)
        pending = [rest for order in pending if (rest := order[1:] if order[0] == head else order)]
    return tuple(merged)
