"""Reading one Python file off its tree-sitter tree. Lives here: what each node says about scopes,
definitions, bindings, calls and imports. Lives elsewhere: single nodes (python_nodes), the values
(python_facts), links between files (python_resolve).

Nodes come from queries and are visited in the order of the text, with a stack of open scopes: no
recursion on the tree."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from graphmem.code.python_facts import (
    FILE,
    TOP,
    Binding,
    Bound,
    CallSite,
    Definition,
    ModuleFacts,
    Scope,
)
from graphmem.code.python_nodes import (
    bases_of,
    chain_of,
    decorators_of,
    grammar,
    imports_of,
    parameters_of,
    strings_of,
    targets_of,
    text_of,
)
from graphmem.code.python_structure import Structure
from graphmem.code.spans import content_hash

if TYPE_CHECKING:
    from tree_sitter import Node

# Methods whose first parameter is the class although no decorator says so (Python data model).
_IMPLICIT_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})


def read_module(path: str, source: bytes) -> ModuleFacts:
    """What the file says on its own; what can't be parsed is kept as far as the tree goes.

    Raises:
        Unsupported: the grammar isn't installed.
    """
    parser, facts_query, structure_query = grammar()
    from tree_sitter import QueryCursor

    root = parser.parse(source).root_node
    structure = Structure(source, QueryCursor(structure_query).captures(root))
    reader = _Reader(path, source, structure)
    reader.read(QueryCursor(facts_query).captures(root))
    return reader.facts


class _Reader:
    """One pass over the captured nodes of one file; a method `_on_NAME` takes the nodes captured as
    NAME."""

    def __init__(self, path: str, source: bytes, structure: Structure) -> None:
        self.facts = ModuleFacts(path, structural_hash=structure.digest(0, len(source)))
        self._source = source
        self._structure = structure
        self._open: list[tuple[int, int, int]] = []
        self._decorated: dict[int, Node] = {}
        self._variables: dict[str, tuple[int, list[Node]]] = {}
        self._descriptors: dict[str, int] = {}
        self._broken_until = 0
        self._scope = self._new_scope("module", FILE, FILE, (0, len(source) + 1))

    def read(self, captured: dict[str, list[Node]]) -> None:
        handlers = {name: getattr(self, f"_on_{name}") for name in captured}
        nodes = [(node.start_byte, -node.end_byte, name, node) for name, found in captured.items() for node in found]
        nodes.sort(key=itemgetter(0, 1, 2))
        for start, _, name, node in nodes:
            self._scope = self._scope_at(start)
            handlers[name](node)
        self._hash_variables()

    def _text(self, node: Node) -> str:
        return text_of(node, self._source)

    def _here(self) -> Scope:
        return self.facts.scopes[self._scope]

    def _new_scope(self, kind: str, parent: int, owner: int, body: tuple[int, int]) -> int:
        index = len(self.facts.scopes)
        self.facts.scopes.append(Scope(kind, parent, owner))
        self._open.append((*body, index))
        return index

    def _scope_at(self, offset: int) -> int:
        """The innermost scope whose body holds the offset; a scope opens before its body starts."""
        while self._open[-1][1] <= offset:
            self._open.pop()
        position = len(self._open) - 1
        while self._open[position][0] > offset:
            position -= 1
        return self._open[position][2]

    def _bind(self, scope: int, name: str, binding: Binding) -> None:
        here = self.facts.scopes[scope]
        if binding.position < here.conditional_until:
            binding.conditional = True
        if name in here.elsewhere:
            here, binding.conditional = self.facts.scopes[here.elsewhere[name]], True
        here.bindings.setdefault(name, []).append(binding)

    def _bind_opaque(self, scope: int, node: Node, variable: int = FILE) -> None:
        binding = Binding(Bound.OPAQUE, node.start_byte, index=variable)
        self._bind(scope, self._text(node), binding)

    def _on_decorated(self, node: Node) -> None:
        inner = node.child_by_field_name("definition")
        if inner is not None:
            self._decorated[inner.start_byte] = node

    def _on_definition(self, node: Node) -> None:
        named = node.child_by_field_name("name")
        if named is None or not self._text(named):
            return
        whole = self._decorated.pop(node.start_byte, node)
        name, is_class = self._text(named), node.type == "class_definition"
        kind = "class" if is_class else self._function_kind(name)
        index, definition = self._define(kind, name, whole, self._here().owner)
        if whole is not node:
            definition.decorators = decorators_of(whole, self._source)
        binding = Binding(Bound.DEFINITION, node.start_byte, index=index)
        self._bind(self._scope, name, binding)
        body = node.child_by_field_name("body")
        span = (body.start_byte, body.end_byte) if body else (node.end_byte, node.end_byte)
        scope_kind = "class" if is_class else "function"
        definition.scope = self._new_scope(scope_kind, self._scope, index, span)
        if is_class:
            definition.bases = tuple(bases_of(node, self._source))
        else:
            self._bind_parameters(node, definition)

    def _function_kind(self, name: str) -> str:
        """method in a class, else function; either is a test by its name in a test file or a Test
        class."""
        here = self._here()
        owner = self.facts.definitions[here.owner] if here.owner != FILE else None
        kind = "method" if here.kind == "class" else "function"
        reachable = owner is None or owner.kind == "class"
        tested = is_test_path(self.facts.path) or (owner and owner.name.startswith("Test"))
        return "test" if name.startswith("test_") and reachable and tested else kind

    def _define(self, kind: str, name: str, node: Node, parent: int) -> tuple[int, Definition]:
        outer = self.facts.definitions[parent] if parent != FILE else None
        prefix, dotted = (outer.descriptor, f"{outer.dotted}.") if outer else ("", "")
        definition = Definition(
            kind=kind,
            name=name,
            parent=parent,
            descriptor=self._descriptor(prefix, kind, name),
            dotted=f"{dotted}{name}",
            start=node.start_byte,
            end=node.end_byte,
            content_hash=content_hash(self._source[node.start_byte : node.end_byte]),
            structural_hash=self._structure.digest(node.start_byte, node.end_byte),
        )
        self.facts.definitions.append(definition)
        return len(self.facts.definitions) - 1, definition

    def _descriptor(self, prefix: str, kind: str, name: str) -> str:
        """The SCIP descriptor below `prefix`; the second of the same form gets (+1), the third
        (+2)."""
        suffix = {"class": "#", "variable": "."}.get(kind, "().")
        plain = f"{prefix}{name}{suffix}"
        count = self._descriptors.get(plain, 0)
        self._descriptors[plain] = count + 1
        return f"{prefix}{name}(+{count}){suffix.removeprefix('()')}" if count else plain

    def _bind_parameters(self, node: Node, definition: Definition) -> None:
        names = list(parameters_of(node))
        for name in names:
            self._bind_opaque(definition.scope, name)
        if not names or self._here().kind != "class" or "staticmethod" in definition.decorators:
            return
        by_class = "classmethod" in definition.decorators
        bound = Bound.CLS if by_class or definition.name in _IMPLICIT_CLASS_METHODS else Bound.SELF
        scope = self.facts.scopes[definition.scope]
        scope.receiver = self._text(names[0])
        binding = Binding(bound, names[0].start_byte, index=definition.parent)
        scope.bindings[scope.receiver] = [binding]

    def _on_lambda(self, node: Node) -> None:
        self._open_expression_scope("function", node, node.child_by_field_name("body") or node)

    def _on_comprehension(self, node: Node) -> None:
        self._open_expression_scope("comprehension", node, node)

    def _open_expression_scope(self, kind: str, node: Node, body: Node) -> None:
        span = (body.start_byte, body.end_byte)
        scope = self._new_scope(kind, self._scope, self._here().owner, span)
        for name in parameters_of(node):
            self._bind_opaque(scope, name)

    def _on_conditional(self, node: Node) -> None:
        here = self._here()
        here.conditional_until = max(here.conditional_until, node.end_byte)

    def _on_assignment(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None:
            return
        if left.type != "identifier":
            self._bind_targets(left, node)
            return
        name = self._text(left)
        variable = self._variable(name, node)
        if right is None:
            return
        if name == "__all__" and self._scope == TOP:
            self._read_exports(right)
        binding = Binding(Bound.OPAQUE, node.start_byte, index=variable)
        if right.type == "call":
            function = right.child_by_field_name("function")
            binding.bound, binding.chain = Bound.CONSTRUCTED, chain_of(function, self._source)
        self._bind(self._scope, name, binding)

    def _bind_targets(self, node: Node, statement: Node | None) -> None:
        for target in targets_of(node):
            if target.type == "attribute":
                self._note_instance_attribute(target)
            else:
                variable = self._variable(self._text(target), statement) if statement else FILE
                self._bind_opaque(self._scope, target, variable)

    def _on_target(self, node: Node) -> None:
        self._bind_targets(node, None)

    def _on_augmented(self, node: Node) -> None:
        if self._scope == TOP and self._text(node) == "__all__":
            self._read_exports(None)
        self._bind_targets(node, None)

    def _on_type_alias(self, node: Node) -> None:
        left = node.child_by_field_name("left")
        named = left.named_children[0] if left and left.named_children else None
        if named is not None and named.type == "identifier":
            self._bind_opaque(self._scope, named, self._variable(self._text(named), node))

    def _on_walrus(self, node: Node) -> None:
        scope = self._scope
        while self.facts.scopes[scope].kind == "comprehension":
            scope = self.facts.scopes[scope].parent
        self._bind_opaque(scope, node)

    def _on_elsewhere(self, node: Node) -> None:
        for child in node.named_children:
            name = self._text(child)
            is_global = node.type == "global_statement"
            self._here().elsewhere[name] = TOP if is_global else self._enclosing_function(name)

    def _enclosing_function(self, name: str) -> int:
        """The nearest function around that binds a nonlocal name so far, else the nearest one."""
        scopes, around = self.facts.scopes, []
        scope = scopes[self._scope].parent
        while scope > TOP:
            if scopes[scope].kind == "function":
                around.append(scope)
            scope = scopes[scope].parent
        nearest = around[0] if around else TOP
        return next((index for index in around if name in scopes[index].bindings), nearest)

    def _variable(self, name: str, node: Node) -> int:
        """The entity of a module-level variable, made at its first assignment; FILE in other
        scopes."""
        if self._scope != TOP:
            return FILE
        if name not in self._variables:
            index, _ = self._define("variable", name, node, FILE)
            self._variables[name] = (index, [])
        index, assignments = self._variables[name]
        assignments.append(node)
        return index

    def _hash_variables(self) -> None:
        """Let the hashes of a variable that is assigned several times cover all its assignments."""
        for index, nodes in self._variables.values():
            if len(nodes) > 1:
                spans = [(node.start_byte, node.end_byte) for node in nodes]
                variable = self.facts.definitions[index]
                whole = b"\n".join(self._source[start:end] for start, end in spans)
                structure = "\n".join(self._structure.digest(*span) for span in spans)
                variable.content_hash = content_hash(whole)
                variable.structural_hash = content_hash(structure.encode("ascii"))

    def _note_instance_attribute(self, node: Node) -> None:
        target, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if target is None or name is None or target.type != "identifier":
            return
        receiver, scope = self._text(target), self._scope
        while scope > TOP and self.facts.scopes[scope].receiver != receiver:
            scope = self.facts.scopes[scope].parent
        if scope > TOP:
            binding = self.facts.scopes[scope].bindings[receiver][0]
            self.facts.definitions[binding.index].instance_attributes.add(self._text(name))

    def _read_exports(self, value: Node | None) -> None:
        """Take `__all__` from one literal; anything beyond that makes it unreadable."""
        names = strings_of(value, self._source)
        unread = names is None or self.facts.exports is not None or self.facts.opaque_exports
        self.facts.exports, self.facts.opaque_exports = (None if unread else names), unread

    def _on_import(self, node: Node) -> None:
        for name, module, site in imports_of(node, self._source):
            self.facts.imports.append(site)
            self._bind(self._scope, name, Binding(Bound.MODULE, site.start, module=module))

    def _on_import_from(self, node: Node) -> None:
        for name, module, site in imports_of(node, self._source):
            self.facts.imports.append(site)
            if site.name == "*":
                self.facts.stars.append((site.level, module))
            else:
                binding = Binding(Bound.FROM_IMPORT, site.start, module=module, name=site.name)
                binding.level = site.level
                self._bind(self._scope, name, binding)

    def _on_call(self, node: Node) -> None:
        chain = chain_of(node.child_by_field_name("function"), self._source)
        start, end = node.start_byte, node.end_byte
        broken = start < self._broken_until
        self.facts.calls.append(CallSite(self._scope, chain, start, end, broken))

    def _on_error(self, node: Node) -> None:
        self.facts.error_offsets.append(node.start_byte)
        self._broken_until = max(self._broken_until, node.end_byte)


def is_test_path(path: str) -> bool:
    """Whether a file holds tests by its name, as pytest and Django look for them, or by a tests
    directory above it."""
    *directories, name = path.split("/")
    stem = name.partition(".")[0]
    named = stem.startswith("test_") or stem.endswith("_test") or stem == "tests"
    return named or not {"test", "tests"}.isdisjoint(directories)
