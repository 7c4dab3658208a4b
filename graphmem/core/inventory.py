"""Every place that can hold what a record says, and how a deletion empties it. Lives here: the table, for each store
and for this process. Lives elsewhere: the emptying (the stores), the decision (core.forgetting).

A test reads the real schemas and fails for a place that isn't here: whoever adds a column, a property or a cache says
what a deletion does with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

Places = Mapping["How", str]


class How(StrEnum):
    """What a deletion does with a place."""

    EMPTIED = "emptied in the record's row or node"
    BLANKED = "blanked for the erased, without digest for the scrubbed; an origin that nothing has goes"
    REMOVED = "the whole row, node, edge or entry goes"
    MOVED = "moved to the newest version that is left, else removed"
    REPLACED = "only keyed digests, ids, times and the reason given are put there"
    SCOURED = "overwritten after the commit"
    EXPLICIT = "named on the receipt as out of reach"
    NOTHING = "holds no content: ids, times, numbers, and names that configuration gives"


SQLITE: Places = {
    How.EMPTIED: "record.text record.value record.context record.entity record.attribute record.scope record.identity "
    "record.evidence_status",
    How.BLANKED: "origin.body assertion.locator assertion.span justification.informant justification.span",
    How.REMOVED: "edge.id edge.type edge.level edge.identity edge.span edge.source edge.target evidence.edge "
    "evidence.place evidence.record entity.id entity.kind entity.name entity.symbol entity.qualified_name "
    "entity.aliases name.tenant name.name name.node site.id site.source site.callee site.reason site.locator "
    "site.line site.identity job.tenant job.kind job.record job.lane job.length job.state job.position "
    "job.attempts job.due_at job.token job.cause fulltext.body fulltext.context fulltext.fulltext fulltext.rank",
    How.MOVED: "head.entity head.attribute head.scope head.record head.version",
    How.REPLACED: "tombstone.id tombstone.tenant tombstone.role tombstone.at tombstone.who tombstone.reason "
    "tombstone.receipt tombstone.key tombstone.content",
    How.SCOURED: "fulltext_data.id fulltext_data.block fulltext_idx.segid fulltext_idx.term fulltext_idx.pgno "
    "fulltext_docsize.id fulltext_docsize.sz fulltext_config.k fulltext_config.v",
    How.NOTHING: "meta.key meta.value commits.k commits.at commits.tenant commits.writer commits.verb "
    "commits.records commits.origins origin.pk origin.k repository.pk repository.tenant repository.name "
    "generation.repo generation.ordinal generation.revision generation.begins generation.k_from record.pk record.id "
    "record.tenant record.policy record.role record.kind record.premise record.blocked record.reasons record.own "
    "record.earlier record.touched record.k_from record.repo record.birth record.death record.version "
    "record.authority record.observed_at record.supersedes record.producer record.sensitivity record.retention "
    "assertion.pk assertion.id assertion.record assertion.authority assertion.observed_at assertion.writer "
    "assertion.origin assertion.k_from assertion.k_to justification.pk justification.id justification.tenant "
    "justification.consequent justification.timeless justification.origin justification.k_from justification.k_to "
    "antecedent.just antecedent.record antecedent.consequent antecedent.timeless span.record span.t_from span.t_to "
    "span.level span.rank span.support span.k_from span.k_to span.again block.record block.kind block.who "
    "block.k_from block.k_to head.tenant entity.pk entity.tenant entity.repo entity.k_from edge.pk edge.tenant "
    "edge.repo edge.birth edge.death edge.origin edge.k_from site.pk site.tenant site.repo site.birth site.death "
    "site.k_from backlog.tenant backlog.open",
}

_ORIGIN = (
    "source_kind locator span content_hash revision source_recorded_at extractor extractor_version configuration_hash "
    "subject owner scope consent conditions"
)
_TRACED = "writer method captured_at"


def _of(label: str, names: str) -> str:
    return " ".join(f"{label}.{name}" for name in names.split())


NEO4J: Places = {
    How.EMPTIED: _of(
        "Record",
        "text value context entity attribute scope about identity words context_words evidence_status",
    ),
    How.BLANKED: " ".join((_of("Assertion", _ORIGIN), _of("Justification", f"{_ORIGIN} informant"))),
    How.REMOVED: " ".join(
        (
            _of("edge", f"{_ORIGIN} {_TRACED} id tenant type evidence level repository birth death identity k_from"),
            _of("Entity", "id tenant repository home k_from kind name symbol qualified_name aliases"),
            _of("Name", "key"),
            _of("Site", "id tenant home source callee reason locator line repository birth death identity k_from"),
            _of("Job", "id tenant kind record lane state position length attempts due_at token cause k_from place"),
        )
    ),
    How.MOVED: _of("Head", "key version"),
    How.REPLACED: _of("Tombstone", "id tenant role at by reason receipt key content"),
    How.NOTHING: " ".join(
        (
            _of(
                "Record", "id tenant repository home k_from role kind own earlier premise blocked observed_at authority"
            ),
            _of("Record", "version supersedes producer policy sensitivity retention birth death touched tenant_word"),
            _of("Assertion", f"{_TRACED} id authority observed_at place k_from k_to"),
            _of("Justification", f"{_TRACED} id uid tenant timeless k_from k_to"),
            _of("Span", "t_from t_to level rank support k_from k_to"),
            _of("Block", "kind by k_from k_to"),
            _of("Commit", "k at tenant writer verb"),
            _of("Repository", "key tenant name"),
            _of("Generation", "ordinal revision begins k_from"),
            _of("Memory", "one k identity_key schema_version"),
        )
    ),
}

# The in-memory store's attributes.
MEMORY: Places = {
    How.EMPTIED: "_rows",
    How.BLANKED: "_links",
    How.REMOVED: "_edges _entities _sites _queue",
    How.MOVED: "_heads",
    How.REPLACED: "_tombstones",
    How.NOTHING: "_identity_key _commits _generations",
}

# What this process keeps beside a store, and what leaves it. A commit in the in-memory store is kept without its facts.
ELSEWHERE: Mapping[str, How] = {
    "graphmem.core.analyzer._cached_terms": How.SCOURED,
    "graphmem.adapters.store_sqlite.rows.origin_text": How.SCOURED,
    "graphmem.adapters.store_sqlite.rows._origin": How.SCOURED,
    "graphmem.adapters.store_sqlite.network._standing": How.NOTHING,
    "graphmem.adapters.store_neo4j.statements.statement": How.NOTHING,
    "graphmem.adapters.tokenizer_bpe._encoding": How.NOTHING,
    "graphmem.code.documents._parser": How.NOTHING,
    "graphmem.code.python_nodes.grammar": How.NOTHING,
    "graphmem.core.authority._compiled": How.NOTHING,
    "graphmem.adapters.detector_secrets._plugins": How.NOTHING,
    "the texts that an open memory has shown": How.REMOVED,
    "what an open memory has accepted and not committed yet": How.REMOVED,
    "free pages and write-ahead log of the SQLite file": How.SCOURED,
    "store files and transaction logs of the Neo4j server": How.EXPLICIT,
    "logs": How.NOTHING,
    "receipts and overrides": How.REPLACED,
    "exports made earlier, backups, snapshots of the disk": How.EXPLICIT,
}


def places(table: Places) -> dict[str, How]:
    """Each place of a table with what is done there."""
    return {name: how for how, names in table.items() for name in names.split()}
