"""What extractors find, installed over every store: entities, edges, summaries and turns, each with the raw record
behind it and gone with it."""

from __future__ import annotations

import json

import pytest

from graphmem.adapters.extractor_conversation import ConversationExtractor
from graphmem.adapters.extractor_prose import ProseExtractor
from graphmem.core import verbs
from graphmem.core.errors import InvalidInput, NotFound
from graphmem.core.facts import Extracted, Hints, Mention, Place, Related, Sort, Stated, tool
from graphmem.core.records import Edge, Entity, Record
from graphmem.core.windows import Window
from graphmem.memory import Memory
from graphmem.ports.extractor import Extractor
from graphmem.ports.store import Store
from graphmem.services.committing import commit
from graphmem.services.extracting import handler, installing
from tests import memories
from tests.memories import memory_over

PROSE = ProseExtractor()
TALK = ConversationExtractor(PROSE)
CHAT = """## Session 1, 8 May 2023
Caroline: I went to Oslo yesterday.
Melanie: How was it?
It must be cold.
Caroline: Ann's car is red.

## Session 2, 25 May 2023
Melanie: Hello again.
"""


class Guessing:
    """An extractor that guesses, and finds one statement and one relation in a text that begins as it expects."""

    tool = tool("guess", "7", "some model", guesses=True)

    def extract(self, text: str, place: Place, hints: Hints) -> Extracted:
        line = Place(0, text.index(".") + 1)
        return Extracted(
            statements=(Stated("Ann", "car", '"red"', line, line),),
            relations=(Related("Ann", "works_with", "Bob", line), Related("Ann", "works_with", "Zoe", line)),
        )


@pytest.fixture
def memory(store: Store) -> Memory:
    return memory_over(store)


def install(
    memory: Memory, record: str, extractor: Extractor = PROSE, stretch: tuple[int, int, int] | None = None
) -> int:
    """Extract from a record and commit what was found; returns the commit, 0 for nothing new."""
    held = memory.held(record)
    start, fresh, end = stretch or (0, 0, len(held.record.text))
    found = installing(memory.session, extractor, Window(held, start, fresh, end))
    return commit(memory.session, "extract", found.wanted, found.plan)[1].commit


def ambiguous(memory: Memory, record: str) -> tuple[str, ...]:
    held = memory.held(record)
    found = installing(memory.session, PROSE, Window(held, 0, 0, len(held.record.text)))
    return commit(memory.session, "extract", found.wanted, found.plan)[0]


def edges(memory: Memory, kind: str) -> list[Edge]:
    return sorted((f for f in memory.store.dump("acme") if isinstance(f, Edge) and f.type == kind), key=lambda e: e.id)


def entities(memory: Memory) -> dict[str, str]:
    """The kinds of the entities by name."""
    return {line["name"]: line["kind"] for line in memory.export() if line["type"] == "entity"}


def derived(memory: Memory) -> list[Record]:
    """The records that were concluded from others, by time and text."""
    held = (f for f in memory.store.dump("acme") if hasattr(f, "record") and hasattr(f, "standing"))
    return sorted((h.record for h in held if h.record.producer), key=lambda r: (r.observed_at, r.text))


def test_names_become_entities_that_the_record_mentions(memory: Memory) -> None:
    raw = memory.remember("We asked Dr. Ann Smith about Oslo on 3 March 2025.", source="notes/7").id
    install(memory, raw)
    assert entities(memory) == {"Ann Smith": "person", "Oslo": "thing", "2025-03-03": "date"}
    assert {(e.source, e.evidence) for e in edges(memory, "mentions")} == {(raw, ((raw,),))}


def test_an_edge_says_where_in_which_source_by_which_extractor(memory: Memory) -> None:
    text = "Größe ist egal.\nWe asked Ann Smith."
    raw = memory.remember(text, source="notes/7", revision="r1", subject="Ann").id
    install(memory, raw)
    made = next(e for e in edges(memory, "mentions") if e.provenance.span and e.provenance.span.line_start == 2)
    span = made.provenance.span
    assert span is not None
    assert text.encode()[span.byte_start : span.byte_end] == b"Ann Smith"
    assert (span.line_start, span.line_end) == (2, 2)
    origin = made.provenance
    assert (origin.locator, origin.revision, origin.subject) == ("notes/7", "r1", "Ann")
    found = (origin.extractor, origin.extractor_version, origin.configuration_hash, origin.method)
    assert found == (PROSE.tool.name, PROSE.tool.version, PROSE.tool.configuration, "syntactic")


def test_a_statement_is_a_summary_that_is_believed_as_long_as_its_source_is(memory: Memory) -> None:
    details = {"policy": "team", "sensitivity": "restricted", "retention": "long", "valid_to": "2099-01-01"}
    raw = memory.remember("We met. Northwind's country is Norway.", source="crm/1", **details).id
    install(memory, raw)
    (made,) = derived(memory)
    assert (made.role, made.kind, made.text) == ("summary", "semantic", "Northwind's country is Norway.")
    assert (made.policy, made.sensitivity, made.retention) == ("team", "restricted", "long")
    assert made.own == memory.held(raw).record.own
    assert memory.believe("Northwind#country").value == '"Norway"'
    assert {made.id, raw} == set(memory.retract(raw).fell)
    assert memory.believe("Northwind#country").winner is None
    memory.reassert(raw)
    assert memory.believe("Northwind#country").value == '"Norway"'


def test_a_statement_in_a_mere_claim_is_never_believed(memory: Memory) -> None:
    raw = memory.remember("Northwind's country is Norway.", role="claim", source="mail/1").id
    install(memory, raw)
    assert len(derived(memory)) == 1
    assert memory.believe("Northwind#country").winner is None


@pytest.mark.parametrize("extractor", [PROSE, TALK])
def test_installing_again_changes_nothing(memory: Memory, extractor: Extractor) -> None:
    text = "Northwind's country is Norway. We asked Ann Smith on 3 March 2025." if extractor is PROSE else CHAT
    raw = memory.remember(text, source="crm/1").id
    assert install(memory, raw, extractor) > 0
    assert install(memory, raw, extractor) == 0


def test_a_statement_of_two_sources_is_believed_while_either_stands(memory: Memory) -> None:
    one = memory.remember("Northwind's country is Norway.", source="crm/1").id
    other = memory.remember("Hello. Northwind's country is Norway.", source="crm/2").id
    install(memory, one)
    install(memory, other)
    first, second = derived(memory)
    assert set(memory.retract(one).fell) & {first.id, second.id} != {first.id, second.id}
    assert memory.believe("Northwind#country").value == '"Norway"'
    memory.retract(other)
    assert memory.believe("Northwind#country").winner is None


def test_what_is_said_again_later_wins_again(memory: Memory) -> None:
    for day, size in (("2025-01-01", 8), ("2025-02-01", 9), ("2025-03-01", 8)):
        install(memory, memory.remember(f"On {day}. Pool-7's size is {size}.", source=day, observed_at=day).id)
    assert memory.believe("Pool-7#size").value == "8"


def test_what_a_person_withdrew_stays_withdrawn_when_the_text_is_read_again(memory: Memory) -> None:
    raw = memory.remember("Northwind's country is Norway.", source="crm/1").id
    install(memory, raw)
    (made,) = derived(memory)
    memory.withdraw(made.producer)
    assert install(memory, raw) == 0
    assert memory.believe("Northwind#country").winner is None


def test_a_statement_heads_no_chain_so_a_person_can_supersede(memory: Memory) -> None:
    install(memory, memory.remember("Northwind's country is Norway.", source="crm/1", observed_at="2025-01-01").id)
    said = memory.remember("It moved.", key="Northwind#country", value="Chile", observed_at="2025-02-01").id
    assert memory.supersede(said, "It moved on.", value="Peru", observed_at="2025-03-01").changed
    assert memory.believe("Northwind#country", at="2025-04-01").value == '"Peru"'


def test_a_statement_under_a_policy_is_another_than_the_same_one_in_the_open(memory: Memory) -> None:
    for source, policy in (("crm/1", "open"), ("crm/2", "board"), ("crm/3", "board")):
        raw = memory.remember(f"See {source}. Northwind's country is Norway.", source=source, policy=policy).id
        install(memory, raw)
    assert sorted(r.policy for r in derived(memory)) == ["board", "board", "open"]


def test_an_extraction_that_was_overtaken_by_a_deletion_installs_nothing(memory: Memory) -> None:
    raw = memory.remember("Northwind's country is Norway.", source="crm/1").id
    held = memory.held(raw)
    found = installing(memory.session, PROSE, Window(held, 0, 0, len(held.record.text)))
    memories.commit(memory.store, lambda draft: verbs.delete(draft, raw, "receipt"), records=(raw,))
    assert commit(memory.session, "extract", found.wanted, found.plan)[1].commit == 0


def test_a_name_that_is_known_leads_to_its_entity_whatever_its_kind(memory: Memory) -> None:
    memory.remember("It leaks.", key="Green River#state")
    raw = memory.remember("We went to Green River.").id
    install(memory, raw)
    assert entities(memory) == {"Green River": "thing"}
    assert len(edges(memory, "mentions")) == 1


def test_a_known_name_is_found_in_small_letters_but_not_a_word_that_is_only_like_a_name(memory: Memory) -> None:
    memory.remember("It leaks.", key="intake valve#state")
    install(memory, memory.remember("We like Reading a lot.").id)
    raw = memory.remember("they were reading about the intake valve").id
    install(memory, raw)
    assert [e.source for e in edges(memory, "mentions")].count(raw) == 1


def test_an_ambiguous_name_is_told_and_joins_none(memory: Memory) -> None:
    lines = [
        {"type": "entity", "ref": ref, "kind": "person", "name": "Ann Smith", "symbol": ref}
        for ref in ("ann-1", "ann-2")
    ]
    memory.import_lines(json.dumps(line) for line in lines)
    raw = memory.remember("We asked Ann Smith in Oslo.").id
    assert ambiguous(memory, raw) == ("Ann Smith",)
    assert len(edges(memory, "mentions")) == 1
    assert sum(line["type"] == "entity" for line in memory.export()) == 3


def test_of_a_stretch_only_what_reaches_into_its_fresh_part_is_installed(memory: Memory) -> None:
    text = "We asked Ann Smith. We went to Oslo."
    raw = memory.remember(text).id
    install(memory, raw, stretch=(0, text.index("We went"), len(text)))
    assert entities(memory) == {"Oslo": "thing"}


def test_windows_of_a_conversation_come_to_the_same_as_the_whole(memory: Memory) -> None:
    raw = memory.remember(CHAT, source="chat/1").id
    for start in range(0, len(CHAT), 50):
        install(memory, raw, TALK, (max(0, start - 20), start, min(len(CHAT), start + 50)))
    assert install(memory, raw, TALK) == 0


def test_what_a_model_finds_is_an_inference_that_rests_on_the_record(memory: Memory) -> None:
    raw = memory.remember("Ann and Bob have a red car.", source="crm/1").id
    install(memory, raw, Guessing())
    assert {r.role for r in derived(memory)} == {"inference"}
    assert memory.believe("Ann#car").winner is None
    (joined,) = edges(memory, "works_with")
    assert raw in joined.evidence[0]
    assert joined.provenance.method == "derived"
    assert {raw, *(r.id for r in derived(memory))} == set(memory.retract(raw).fell)


def test_nothing_is_installed_from_a_corrected_summary_again(memory: Memory) -> None:
    raw = memory.remember("Northwind's country is Norway.", source="crm/1").id
    install(memory, raw)
    (made,) = derived(memory)
    memory.reject(made.id)
    assert install(memory, raw) == 0
    assert memory.believe("Northwind#country").winner is None


def test_turns_are_records_verbatim_with_their_session_and_neighbours(memory: Memory) -> None:
    raw = memory.remember(CHAT, source="chat/1").id
    install(memory, raw, TALK)
    turns = [r for r in derived(memory) if r.role == "summary"]
    assert [t.text for t in turns] == [
        "Ann's car is red.",
        "How was it?\nIt must be cold.",
        "I went to Oslo yesterday.",
        "Hello again.",
    ]
    assert [t.kind for t in turns] == ["episodic"] * 4
    assert turns[1].context == (
        "Session 1, 8 May 2023\nMelanie\nCaroline: I went to Oslo yesterday.\nCaroline: Ann's car is red."
    )
    assert {t.id for t in turns} < set(memory.retract(raw).fell)


def test_turns_are_said_by_their_speakers_and_reply_within_their_session(memory: Memory) -> None:
    raw = memory.remember(CHAT, source="chat/1").id
    install(memory, raw, TALK)
    text = {r.id: r.text[:5] for r in derived(memory)}
    speakers = {e.id: e.name for e in memory.store.dump("acme") if isinstance(e, Entity)}
    said = {(text[e.source], speakers[e.target]) for e in edges(memory, "said_by")}
    assert said == {("I wen", "Caroline"), ("How w", "Melanie"), ("Ann's", "Caroline"), ("Hello", "Melanie")}
    replies = {(text[e.source], text[e.target]) for e in edges(memory, "replies_to")}
    assert replies == {("How w", "I wen"), ("Ann's", "How w")}


def test_a_turn_mentions_what_it_names_on_the_day_of_its_session(memory: Memory) -> None:
    raw = memory.remember(CHAT, source="chat/1", observed_at="2024-01-01").id
    install(memory, raw, TALK)
    by = {r.id: r.text[:5] for r in derived(memory)}
    names = {e.id: e.name for e in memory.store.dump("acme") if isinstance(e, Entity)}
    mentions = {(by[e.source], names[e.target]) for e in edges(memory, "mentions")}
    assert {("I wen", "Oslo"), ("I wen", "2023-05-07")} <= mentions


def test_what_a_speaker_states_is_no_belief(memory: Memory) -> None:
    raw = memory.remember(CHAT, source="chat/1").id
    install(memory, raw, TALK)
    (stated,) = (r for r in derived(memory) if r.key)
    assert (stated.role, stated.value, stated.evidence_status) == ("inference", '"red"', "said")
    assert memory.believe("Ann#car").winner is None


def test_the_same_words_in_two_conversations_are_two_turns(memory: Memory) -> None:
    one = memory.remember("Ann: Yes.\nBob: Yes.", source="chat/1").id
    other = memory.remember("Ann: Yes.\nBob: Yes.\n", source="chat/2").id
    install(memory, one, TALK)
    install(memory, other, TALK)
    assert len([r for r in derived(memory) if r.text == "Yes."]) == 4


def test_a_user_of_one_conversation_is_nobody_of_another(memory: Memory) -> None:
    for number in (1, 2):
        chat = [{"role": "user", "content": f"Hi {number}"}, {"role": "assistant", "content": "Hello"}]
        install(memory, memory.remember(json.dumps(chat), source=f"chat/{number}").id, TALK)
    assert len({e.target for e in edges(memory, "said_by")}) == 4


def test_an_item_that_its_place_does_not_hold_is_left_out(memory: Memory) -> None:
    class Inventing(Guessing):
        def extract(self, text: str, place: Place, hints: Hints) -> Extracted:
            whole = Place(0, len(text))
            return Extracted(mentions=(Mention("Zoe", Sort.PERSON, whole), Mention("Ann", Sort.PERSON, Place(0, 999))))

    assert install(memory, memory.remember("We asked Ann.").id, Inventing()) == 0


def test_a_merge_joins_what_is_known_of_two_names_until_it_is_retracted(memory: Memory) -> None:
    memory.remember("She leads the lab.", key="J. Smith#post")
    other = memory.remember("Born in a small harbour town.", key="Mary Jones#birth").id
    assert other not in {item.id for item in memory.recall("J. Smith").items}
    made = memory.merge("J. Smith", "Mary Jones", reason="The same staff number in both lists.")
    assert other in {item.id for item in memory.recall("J. Smith").items}
    assert memory.held(made.id).live[0].provenance.source_kind == "merge"
    assert memory.merge("Mary Jones", "J. Smith", reason="The same staff number in both lists.").changed is False
    memory.retract(made.id)
    assert other not in {item.id for item in memory.recall("J. Smith").items}
    memory.reassert(made.id)
    assert other in {item.id for item in memory.recall("J. Smith").items}


def test_a_retracted_merge_leaves_both_entities_as_they_were(memory: Memory) -> None:
    memory.remember("She leads the lab.", key="J. Smith#post")
    memory.remember("Born in a small harbour town.", key="Mary Jones#birth")
    before = entities(memory), edges(memory, "about")
    memory.retract(memory.merge("J. Smith", "Mary Jones", reason="same number").id)
    assert (entities(memory), edges(memory, "about")) == before


def test_a_merge_of_unknown_equal_or_ambiguous_names_is_refused(memory: Memory) -> None:
    memory.remember("She leads the lab.", key="J. Smith#post")
    lines = [{"type": "entity", "ref": r, "kind": "person", "name": "Ann", "symbol": r} for r in ("ann-1", "ann-2")]
    memory.import_lines(json.dumps(line) for line in lines)
    with pytest.raises(NotFound):
        memory.merge("J. Smith", "Nobody", reason="same number")
    with pytest.raises(InvalidInput, match="one entity already"):
        memory.merge("J. Smith", "j. smith", reason="same number")
    with pytest.raises(InvalidInput, match="several"):
        memory.merge("J. Smith", "Ann", reason="same number")
    first, other = sorted(e.id for e in memory.store.dump("acme") if isinstance(e, Entity) and e.name == "Ann")
    assert memory.merge(first, other, reason="same number").changed


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("我们昨天在上海图书馆见面。", "上海"),
        ("東京都庁で会いました。", "都庁"),
        ("昨日コーヒーを飲んだ。", "ヒー"),
        ("어제서울시청에서", "시청"),
    ],
)
def test_two_characters_within_a_run_of_a_script_without_spaces_are_found(memory: Memory, text: str, word: str) -> None:
    memory.remember("北京大学です。부산")
    right = memory.remember(text).id
    assert [item.id for item in memory.recall(word).items] == [right]


def test_the_queue_links_a_record_and_installs_what_it_says(store: Store) -> None:
    memory = memory_over(store, handlers={"extract": handler(PROSE)})
    seen = memory.remember("Northwind's country is Norway.", key="vendor:northwind#file", source="crm/1")
    assert entities(memory) == {}
    assert [item.found.pending is not None for item in memory.recall("Norway").items] == [True]
    assert memory.maintain().done == 1
    assert "vendor:northwind" in entities(memory)
    assert {e.source for e in edges(memory, "about")} >= {seen.id}
    believed = memory.believe("Northwind#country")
    assert believed.value == '"Norway"'
    assert set(memory.retract(seen.id).fell) >= {seen.id, believed.winner.record.id}  # type: ignore[union-attr]


def test_what_names_its_mentions_is_linked_at_once(store: Store) -> None:
    memory = memory_over(store, handlers={"extract": handler(PROSE)})
    memory.remember("It leaks.", mentions=["pump 7"])
    assert "pump 7" in entities(memory)
