"""The graph model, as neomodel classes. Lives here: the one declaration of labels, relationship types, properties,
constraints and indexes, which is also the object view of graphmem.ogm. Lives elsewhere: holding a database to it
(schema), how core values are spelled in these properties (rows).

An index of one property stands at the property, named LABEL_PROPERTY unless `index_name` says otherwise; what neomodel
can't say at a property stands in `ranges` and `fulltext`. A property `id` is `identifier` here, because neomodel keeps
that name. Units and meanings are in docs/reference/graph-model.md.
"""

from __future__ import annotations

from typing import ClassVar

from neomodel import (
    ArrayProperty,
    BooleanProperty,
    FulltextIndex,
    IntegerProperty,
    RelationshipFrom,
    RelationshipTo,
    StringProperty,
    StructuredNode,
    StructuredRel,
)

HERE = __name__  # in front of a class's name: neomodel takes the first of a bare name that the callers' modules have

Ranges = dict[str, tuple[str, ...]]
Fulltext = dict[str, tuple[tuple[str, ...], FulltextIndex]]

WORDS = FulltextIndex(analyzer="whitespace")  # the words are analysed before they are stored


class Origin:
    """Where an assertion, a justification or an edge comes from."""

    source_kind = StringProperty()
    locator = StringProperty()
    writer = StringProperty()
    method = StringProperty()
    captured_at = IntegerProperty()
    span = ArrayProperty(IntegerProperty())
    content_hash = StringProperty()
    revision = StringProperty()
    source_recorded_at = IntegerProperty()
    extractor = StringProperty()
    extractor_version = StringProperty()
    configuration_hash = StringProperty()
    subject = StringProperty()
    owner = StringProperty()
    scope = StringProperty()
    consent = StringProperty()
    conditions = ArrayProperty(StringProperty())


class Edge(Origin, StructuredRel):
    """A typed relation between two nodes with its provenance and evidence. Its type and ends are free: one that isn't
    among the relationships of Record and Entity is reached by Cypher."""

    identifier = StringProperty(db_property="id")
    tenant = StringProperty()
    type = StringProperty()
    evidence = ArrayProperty(StringProperty())
    level = StringProperty()
    repository = StringProperty()
    birth = IntegerProperty()
    death = IntegerProperty()
    identity = StringProperty()
    k_from = IntegerProperty()


class Base(StructuredNode):
    """What is asked of every class: the indexes over more than one property."""

    __abstract_node__ = True
    ranges: ClassVar[Ranges] = {}
    fulltext: ClassVar[Fulltext] = {}


class Node(Base):
    """A record or an entity: whatever edges join."""

    identifier = StringProperty(db_property="id", unique_index=True)
    tenant = StringProperty()
    repository = StringProperty()
    home = StringProperty(index=True)
    k_from = IntegerProperty()


class Record(Node):
    """One thing remembered."""

    ranges: ClassVar[Ranges] = {"record_tenant": ("tenant", "k_from")}
    fulltext: ClassVar[Fulltext] = {"record_text": (("words", "context_words", "tenant_word"), WORDS)}

    text = StringProperty()
    value = StringProperty()
    role = StringProperty()
    kind = StringProperty()
    entity = StringProperty()
    attribute = StringProperty()
    scope = StringProperty()
    about = StringProperty(index=True, index_name="record_key")
    own = ArrayProperty(IntegerProperty())
    earlier = ArrayProperty(IntegerProperty())
    premise = IntegerProperty()
    blocked = BooleanProperty()
    observed_at = IntegerProperty()
    authority = IntegerProperty()
    version = IntegerProperty()
    supersedes = StringProperty()
    producer = StringProperty()
    context = StringProperty()
    policy = StringProperty()
    sensitivity = StringProperty()
    retention = StringProperty()
    evidence_status = StringProperty()
    birth = IntegerProperty()
    death = IntegerProperty()
    identity = StringProperty()
    touched = IntegerProperty()
    words = StringProperty()
    context_words = StringProperty()
    tenant_word = StringProperty()

    concerns = RelationshipTo(f"{HERE}.Entity", "ABOUT", model=Edge)
    mentions = RelationshipTo(f"{HERE}.Entity", "MENTIONS", model=Edge)
    said_by = RelationshipTo(f"{HERE}.Entity", "SAID_BY", model=Edge)
    replies_to = RelationshipTo(f"{HERE}.Record", "REPLIES_TO", model=Edge)
    answered_by = RelationshipFrom(f"{HERE}.Record", "REPLIES_TO", model=Edge)
    spans = RelationshipTo(f"{HERE}.Span", "SPAN")
    assertions = RelationshipFrom(f"{HERE}.Assertion", "ASSERTS")
    blocks = RelationshipFrom(f"{HERE}.Block", "BLOCKS")
    heads = RelationshipFrom(f"{HERE}.Head", "HEAD")
    justified_by = RelationshipFrom(f"{HERE}.Justification", "CONSEQUENT")
    supports = RelationshipFrom(f"{HERE}.Justification", "ANTECEDENT")


class Source(Record):
    """A record of the role source: a passage, a document, a statement by a user."""


class Observation(Record):
    """A record of the role observation: something seen, such as a test run."""


class Claim(Record):
    """A record of the role claim: what somebody says without having seen it."""


class Inference(Record):
    """A record of the role inference: concluded by a model or a rule; alone it is a hypothesis."""


class Summary(Record):
    """A record of the role summary: it holds only while what it was made from does."""


class Entity(Node):
    """A named thing that records and edges are about."""

    ranges: ClassVar[Ranges] = {"entity_tenant": ("tenant", "k_from")}

    kind = StringProperty()
    name = StringProperty()
    symbol = StringProperty()
    qualified_name = StringProperty()
    aliases = ArrayProperty(StringProperty())

    names = RelationshipFrom(f"{HERE}.Name", "NAMES")
    concerned_by = RelationshipFrom(f"{HERE}.Record", "ABOUT", model=Edge)
    mentioned_by = RelationshipFrom(f"{HERE}.Record", "MENTIONS", model=Edge)
    said = RelationshipFrom(f"{HERE}.Record", "SAID_BY", model=Edge)
    same_as = RelationshipTo(f"{HERE}.Entity", "SAME_AS", model=Edge)
    same_from = RelationshipFrom(f"{HERE}.Entity", "SAME_AS", model=Edge)
    contains = RelationshipTo(f"{HERE}.Entity", "CONTAINS", model=Edge)
    contained_by = RelationshipFrom(f"{HERE}.Entity", "CONTAINS", model=Edge)
    imports = RelationshipTo(f"{HERE}.Entity", "IMPORTS", model=Edge)
    imported_by = RelationshipFrom(f"{HERE}.Entity", "IMPORTS", model=Edge)
    inherits = RelationshipTo(f"{HERE}.Entity", "INHERITS", model=Edge)
    inherited_by = RelationshipFrom(f"{HERE}.Entity", "INHERITS", model=Edge)
    instantiates = RelationshipTo(f"{HERE}.Entity", "INSTANTIATES", model=Edge)
    instantiated_by = RelationshipFrom(f"{HERE}.Entity", "INSTANTIATES", model=Edge)
    calls = RelationshipTo(f"{HERE}.Entity", "CALLS", model=Edge)
    called_by = RelationshipFrom(f"{HERE}.Entity", "CALLS", model=Edge)
    tests = RelationshipTo(f"{HERE}.Entity", "TESTS", model=Edge)
    tested_by = RelationshipFrom(f"{HERE}.Entity", "TESTS", model=Edge)


class CodeEntity(Entity):
    """An entity that was read off source code: a file, a class, a method, a test."""


class Thing(Entity):
    """An entity of any other kind: a person, a vendor, a calendar."""


class Justification(Origin, Base):
    """One reason: its antecedents together support its consequent."""

    ranges: ClassVar[Ranges] = {"justification_tenant": ("tenant", "k_from")}

    identifier = StringProperty(db_property="id", index=True)
    uid = StringProperty(unique_index=True)
    tenant = StringProperty()
    informant = StringProperty()
    timeless = BooleanProperty()
    k_from = IntegerProperty()
    k_to = IntegerProperty()

    consequent = RelationshipTo(f"{HERE}.Record", "CONSEQUENT")
    antecedents = RelationshipTo(f"{HERE}.Record", "ANTECEDENT")


class Assertion(Origin, Base):
    """One act of putting a record forward."""

    identifier = StringProperty(db_property="id")
    authority = IntegerProperty()
    observed_at = IntegerProperty()
    place = IntegerProperty()
    k_from = IntegerProperty()
    k_to = IntegerProperty()

    record = RelationshipTo(f"{HERE}.Record", "ASSERTS")


class Span(Base):
    """A stretch of valid time through which a record is IN or GROUNDED, as a stretch of commits knew it."""

    t_from = IntegerProperty()
    t_to = IntegerProperty()
    level = IntegerProperty()
    rank = IntegerProperty()
    support = StringProperty()
    k_from = IntegerProperty()
    k_to = IntegerProperty()

    record = RelationshipFrom(f"{HERE}.Record", "SPAN")


class Block(Base):
    """A reason for a record to be OUT whatever supports it."""

    kind = StringProperty()
    by = StringProperty()
    k_from = IntegerProperty()
    k_to = IntegerProperty()

    record = RelationshipTo(f"{HERE}.Record", "BLOCKS")


class Head(Base):
    """The newest record of a key."""

    key = StringProperty(unique_index=True)
    version = IntegerProperty()

    record = RelationshipTo(f"{HERE}.Record", "HEAD")


class Name(Base):
    """A name, case folded, and the entities that bear it."""

    key = StringProperty(unique_index=True)

    entities = RelationshipTo(f"{HERE}.Entity", "NAMES")


class Commit(Base):
    """One write: who did what and when. Nodes refer to it by `k_from` and `k_to`."""

    ranges: ClassVar[Ranges] = {"commit_tenant": ("tenant", "at")}

    k = IntegerProperty(unique_index=True)
    at = IntegerProperty()
    tenant = StringProperty()
    writer = StringProperty()
    verb = StringProperty()


class Repository(Base):
    """A body of sources that is ingested as a whole."""

    key = StringProperty(unique_index=True)
    tenant = StringProperty(index=True)
    name = StringProperty()

    generations = RelationshipFrom(f"{HERE}.Generation", "OF")


class Generation(Base):
    """One ingested state of a repository."""

    ordinal = IntegerProperty()
    revision = StringProperty()
    begins = IntegerProperty()
    k_from = IntegerProperty()

    repository = RelationshipTo(f"{HERE}.Repository", "OF")


class Site(Base):
    """A call in source code whose target isn't known."""

    identifier = StringProperty(db_property="id", unique_index=True)
    tenant = StringProperty(index=True)
    home = StringProperty(index=True)
    source = StringProperty()
    callee = StringProperty()
    reason = StringProperty()
    locator = StringProperty()
    line = IntegerProperty()
    repository = StringProperty()
    birth = IntegerProperty()
    death = IntegerProperty()
    identity = StringProperty()
    k_from = IntegerProperty()


class Memory(Base):
    """The one node that says what this database is: it counts commits and holds the key that ids are derived with."""

    one = BooleanProperty(unique_index=True)
    k = IntegerProperty()
    identity_key = StringProperty()
    schema_version = IntegerProperty()


NODES: tuple[type[Base], ...] = (
    Node,
    Record,
    Source,
    Observation,
    Claim,
    Inference,
    Summary,
    Entity,
    CodeEntity,
    Thing,
    Justification,
    Assertion,
    Span,
    Block,
    Head,
    Name,
    Commit,
    Repository,
    Generation,
    Site,
    Memory,
)
