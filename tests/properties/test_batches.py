"""Independent operations commute, and one commit of several equals as many commits of one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.adapters.store_memory import MemoryStore
from graphmem.core.records import Role
from tests.memories import KEY
from tests.properties.scripts import Cast, Operation, Script, Shapes
from tests.properties.test_stateful import numbers, others, supporting, windows

# Each acts on its own record, and none reads what another writes.
independent = st.builds(
    Operation, st.sampled_from(["retract", "reject", "justify", "reassert", "unreject"]), numbers, others
)
premises = st.builds(Cast, st.sampled_from([role for role in Role if role is not Role.SUMMARY]), windows)
batches = st.lists(independent, min_size=2, max_size=5, unique_by=lambda op: op.subject)


def after(cast: list[Cast], links: list[Operation], *commits: list[Operation]) -> Shapes:
    """The labels that are left when everything was remembered, the links made and the commits run."""
    script = Script({"memory": MemoryStore(KEY)}, cast)
    for commit in ([Operation("remember", n) for n in range(len(cast))], links, *commits):
        script.commit(*commit)
    return script.read_shapes()


@settings(max_examples=60)
@given(st.lists(premises, min_size=7, max_size=7), st.lists(supporting, max_size=8), batches, st.randoms())
def test_a_batch_equals_its_operations_one_by_one_in_any_order(
    cast: list[Cast], links: list[Operation], batch: list[Operation], chance: object
) -> None:
    at_once = after(cast, links, batch)
    shuffled = list(batch)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert after(cast, links, *([operation] for operation in batch)) == at_once
    assert after(cast, links, *([operation] for operation in shuffled)) == at_once
