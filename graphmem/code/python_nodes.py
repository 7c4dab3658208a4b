"""Questions about single nodes of a Python tree. Lives here: the grammar and what one node says.
Lives elsewhere: scopes and the order of the text (python_syntax). Nothing here recurses: a tree can
be ten thousand levels deep."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from graphmem.code.python_facts import CALL, EXPRESSION, LITERAL, Chain, ImportSite
from graphmem.code.python_structure import STRUCTURE_QUERY
from graphmem.core.errors import Unsupported

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

# A longer chain of attributes and calls counts as an expression without a name; its value isn't known anyway.
MAX_CHAIN_PARTS = 32

FACTS_QUERY = """
(decorated_definition) @decorated
[(function_definition) (class_definition)] @definition
(lambda) @lambda
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)]
  @comprehension
[(if_statement) (try_statement) (while_statement) (for_statement) (match_statement)] @conditional
(call) @call
(import_statement) @import
(import_from_statement) @import_from
(assignment) @assignment
(type_alias_statement) @type_alias
(augmented_assignment left: (_) @augmented)
(named_expression name: (_) @walrus)
(for_statement left: (_) @target)
(for_in_clause left: (_) @target)
(as_pattern_target (_) @target)
(delete_statement (_) @target)
(case_pattern (dotted_name . (identifier) @target .))
(keyword_pattern (dotted_name . (identifier) @target .))
(case_pattern (as_pattern (identifier) @target))
(splat_pattern (identifier) @target)
[(global_statement) (nonlocal_statement)] @elsewhere
(ERROR) @error
(MISSING) @error
"""
_TARGET_CONTAINERS = frozenset(
    {"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "list_splat"}
    | {"tuple", "list", "expression_list", "parenthesized_expression"}
)
_LITERALS = frozenset(
    {"string", "concatenated_string", "integer", "float", "true", "false", "none"}
    | {"list", "tuple", "set", "dictionary", "generator_expression"}
    | {"list_comprehension", "set_comprehension", "dictionary_comprehension"}
)
_PARAMETER_WRAPPERS = frozenset({"typed_parameter", "list_splat_pattern", "dictionary_splat_pattern", "tuple_pattern"})


@cache
def grammar() -> tuple[Parser, Query, Query]:
    """The parser with the queries for facts and for structure, made once.

    Raises:
        Unsupported: the grammar isn't installed.
    """
    try:
        import tree_sitter
        import tree_sitter_python
    except ImportError as error:
        raise Unsupported(
            "the Python grammar isn't installed", hint="pip install tree-sitter tree-sitter-python"
        ) from error
    language = tree_sitter.Language(tree_sitter_python.language())
    facts = tree_sitter.Query(language, FACTS_QUERY)
    return tree_sitter.Parser(language), facts, tree_sitter.Query(language, STRUCTURE_QUERY)


def text_of(node: Node, source: bytes) -> str:
    """The node's own text."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def chain_of(node: Node | None, source: bytes) -> Chain:
    """An expression as the names and calls it is made of, from left to right."""
    parts: list[str] = []
    while node is not None and len(parts) < MAX_CHAIN_PARTS:
        kind, following = node.type, None
        if kind == "identifier":
            parts.append(text_of(node, source))
            break
        if kind == "attribute":
            named, following = node.child_by_field_name("attribute"), "object"
            parts.append(text_of(named, source) if named else EXPRESSION)
        elif kind == "call":
            parts.append(CALL)
            following = "function"
        else:
            parts.append(LITERAL if kind in _LITERALS else EXPRESSION)
            break
        node = node.child_by_field_name(following)
    else:
        parts.append(EXPRESSION)
    return tuple(reversed(parts))


def targets_of(node: Node) -> Iterator[Node]:
    """The names and attributes that an assignment to this pattern binds, in no fixed order."""
    pending = [node]
    while pending:
        target = pending.pop()
        if target.type in ("identifier", "attribute"):
            yield target
        elif target.type in _TARGET_CONTAINERS:
            pending.extend(target.named_children)


def parameters_of(node: Node) -> Iterator[Node]:
    """The name nodes of the parameters of a function or lambda, in order."""
    parameters = node.child_by_field_name("parameters")
    pending = list(reversed(parameters.named_children)) if parameters else []
    while pending:
        parameter = pending.pop()
        named = parameter.child_by_field_name("name")
        if parameter.type == "identifier":
            yield parameter
        elif named is not None:
            pending.append(named)
        elif parameter.type in _PARAMETER_WRAPPERS:
            inner = parameter.named_children
            pending.extend(reversed(inner if parameter.type == "tuple_pattern" else inner[:1]))


def decorators_of(whole: Node, source: bytes) -> frozenset[str]:
    """The last name of each decorator: property, staticmethod, setter, ..."""
    return frozenset(
        chain_of(child.named_children[0], source)[-1]
        for child in whole.children
        if child.type == "decorator" and child.named_children
    )


def bases_of(node: Node, source: bytes) -> Iterator[Chain]:
    """The base classes as written; of a subscripted one, what is subscripted."""
    arguments = node.child_by_field_name("superclasses")
    for base in arguments.named_children if arguments else ():
        if base.type == "subscript":
            yield chain_of(base.child_by_field_name("value"), source)
        elif base.type not in {"keyword_argument", "comment"}:
            yield chain_of(base, source)


def strings_of(node: Node | None, source: bytes) -> frozenset[str] | None:
    """The strings of a literal list or tuple, None where it is anything else."""
    if node is None or node.type not in {"list", "tuple"}:
        return None
    items = [child for child in node.named_children if child.type != "comment"]
    if any(item.type != "string" for item in items):
        return None
    parts = [[c for c in item.named_children if c.type == "string_content"] for item in items]
    return frozenset("".join(text_of(content, source) for content in part) for part in parts)


def imports_of(node: Node, source: bytes) -> Iterator[tuple[str, str, ImportSite]]:
    """The imports of one statement, each with the name that it binds ("" for a star) and the module
    bound or asked."""
    from_node = node.child_by_field_name("module_name")
    origin = _dotted(from_node, source)
    module = origin.lstrip(".")
    level = len(origin) - len(module)
    for item in node.children_by_field_name("name"):
        aliased = item.type == "aliased_import"
        name = _dotted(item.child_by_field_name("name") if aliased else item, source)
        alias = _dotted(item.child_by_field_name("alias"), source) if aliased else ""
        span = (item.start_byte, item.end_byte)
        if from_node is not None:
            yield alias or name, module, ImportSite(level, module, name, *span)
        elif alias:
            yield alias, name, ImportSite(0, name, "", *span)
        else:
            top = name.partition(".")[0]
            yield top, top, ImportSite(0, name, "", *span)
    if any(child.type == "wildcard_import" for child in node.named_children):
        yield "", module, ImportSite(level, module, "*", node.start_byte, node.end_byte)


def _dotted(node: Node | None, source: bytes) -> str:
    """A dotted name without the blanks and continued lines that may stand inside it."""
    return "".join(text_of(node, source).replace("\\", " ").split()) if node else ""
