"""Ingest of directories, files and git revisions, generation after generation."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from dulwich import porcelain
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import graphmem
from graphmem.core.errors import NotFound, NotPermitted
from graphmem.core.labels import shape
from graphmem.core.times import format_time
from graphmem.memory import Memory
from graphmem.services.ingesting import IngestReport

ROOT = Path(__file__).resolve().parents[2]
POOL = ROOT / "seed/pool"


def fresh(url: str = "memory:") -> Memory:
    return graphmem.open(url, writer="tester", identity_key=b"k" * 16)


def write(root: Path, files: dict[str, str]) -> None:
    shutil.rmtree(root, ignore_errors=True)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def pool_at_both_revisions(memory: Memory) -> tuple[IngestReport, IngestReport]:
    first, second = (memory.ingest(POOL / r, repository="pool", revision=r) for r in ("r17", "r18"))
    return first, second


@pytest.mark.parametrize("url", ["memory:", "m.db"])
def test_each_file_is_kept_whole_in_source_records_with_provenance(tmp_path: Path, url: str) -> None:
    with fresh(url if url == "memory:" else str(tmp_path / url)) as memory:
        memory.ingest(POOL / "r17", repository="pool", revision="r17")
        records = [line for line in memory.export() if line["type"] == "record"]
        for path in ("src/pool.py", "tests/test_pool.py"):
            mine = [r for r in records if r["assertions"][0]["provenance"]["locator"] == path]
            mine.sort(key=lambda r: r["assertions"][0]["provenance"]["bytes"][0])
            assert "".join(r["text"] for r in mine) == (POOL / "r17" / path).read_text(encoding="utf-8")
            for record in mine:
                provenance = record["assertions"][0]["provenance"]
                assert provenance["revision"] == "r17"
                assert provenance["content_hash"].startswith("sha256:")
                assert {"extractor", "lines", "bytes", "writer", "captured_at"} <= provenance.keys()


def test_edges_name_their_evidence_extractor_and_place() -> None:
    memory = fresh()
    memory.ingest(POOL / "r17", repository="pool", revision="r17")
    edges = [line for line in memory.export() if line["type"] == "edge"]
    records = {line["id"] for line in memory.export() if line["type"] == "record"}
    assert {"contains", "imports", "calls", "tests", "about"} <= {e["edge"] for e in edges}
    for edge in edges:
        assert set(edge["evidence"][0]) <= records
        assert {"locator", "revision", "method", "extractor"} <= edge["provenance"].keys()
    assert {e["provenance"]["method"] for e in edges if e["edge"] == "calls"} == {"resolved"}


def test_the_next_revision_touches_only_what_changed() -> None:
    memory = fresh()
    first, second = pool_at_both_revisions(memory)
    assert (second.born, second.died, second.unchanged) == (1, 1, first.born - 1)
    assert second.generation == first.generation + 1
    assert len(second.fell) == len(second.rose) == 1


def test_a_replaced_source_ends_by_change_and_what_rests_on_it_ends_with_it() -> None:
    memory = fresh()
    memory.ingest(POOL / "r17", repository="pool", revision="r17")
    release = next(i for i in memory.recall("ConnectionPool.release").items if "def release" in i.text)
    note = memory.remember("release forgets to notify", role="summary", because=[release.id])
    other = memory.remember("seen by hand", role="observation")
    memory.ingest(POOL / "r18", repository="pool", revision="r18")
    then = format_time(memory.store.entries("default", "pool").generations[0].begins)
    assert memory.why(note.id).refutation is not None
    assert memory.why(note.id, at=then).proof is not None
    assert memory.why(other.id).proof is not None


def test_ingesting_the_same_state_again_changes_nothing() -> None:
    memory = fresh()
    memory.ingest(POOL / "r17", repository="pool", revision="r17")
    commits = memory.status().commit
    again = memory.ingest(POOL / "r17", repository="pool", revision="r17")
    assert (again.commit, again.born, again.died) == (0, 0, 0)
    assert memory.status().commit == commits


def test_going_back_to_an_older_state_brings_it_back_as_a_new_generation() -> None:
    memory = fresh()
    pool_at_both_revisions(memory)
    back = memory.ingest(POOL / "r17", repository="pool", revision="r19")
    assert (back.born, back.died, back.generation) == (1, 1, 3)
    found = memory.recall("ConnectionPool.release").items
    assert not any("returned.notify()" in i.text for i in found)
    then = memory.recall("ConnectionPool.release", revision="r18").items
    assert any("returned.notify()" in i.text for i in then)


SNIPPETS = [
    "def f():\n    return 1\n",
    "def f():\n    return g()\n\n\ndef g():\n    return 2\n",
    "from pkg.a import f\n\n\ndef h():\n    return f()\n",
    "class C:\n    def m(self):\n        return self.n()\n\n    def n(self):\n        return 1\n",
    "# only a comment\n",
    "",
]
TREES = st.dictionaries(
    st.sampled_from(["pkg/a.py", "pkg/b.py", "tests/test_a.py", "README.md"]), st.sampled_from(SNIPPETS), max_size=4
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(TREES, min_size=1, max_size=4))
def test_step_by_step_equals_at_once(tmp_path: Path, states: list[dict[str, str]]) -> None:
    root = tmp_path / "tree"
    stepwise, at_once = fresh(), fresh()
    for number, files in enumerate(states):
        write(root, files)
        root.mkdir(exist_ok=True)
        stepwise.ingest(root, repository="tree", revision=f"s{number}", replace=True)
    at_once.ingest(root, repository="tree", revision="all")

    def shown(memory: Memory) -> list[str]:
        alive = [line for line in memory.export() if line.get("identity") and line["death"] is None]
        return sorted(json.dumps([line["identity"], line["type"]]) for line in alive)

    assert shown(stepwise) == shown(at_once)
    labels = {
        name: {
            shape(h.label)[0][2]
            for h in memory.held_all(memory.store.entries("default", "tree").records.values()).values()
        }
        for name, memory in (("stepwise", stepwise), ("at once", at_once))
    }
    assert labels["stepwise"] == labels["at once"]


def test_unresolved_calls_are_counted_by_reason_and_kept() -> None:
    memory = fresh()
    report = memory.ingest(POOL / "r17", repository="pool", revision="r17")
    sites = [line for line in memory.export() if line["type"] == "site"]
    assert sum(report.unresolved.values()) == len(sites) > 0
    assert {s["reason"] for s in sites} == set(report.unresolved)


def test_files_that_are_no_text_are_reported_and_passed_over(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("# Title\n\nwords\n")
    (tmp_path / "bad.py").write_bytes(b"x = '\xff\xfe'\n")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\x00\x00")
    report = fresh().ingest(tmp_path, repository="mixed")
    assert {path for path, _ in report.skipped} == {"bad.py", "image.png"}
    assert (report.files, report.born) == (1, 1)


def test_syntax_errors_are_named_and_the_file_is_still_kept(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def f(:\n    return 1\n\n\ndef g():\n    return 2\n")
    memory = fresh()
    report = memory.ingest(tmp_path, repository="broken")
    assert [path for path, _ in report.problems] == ["broken.py"]
    assert any("def g()" in i.text for i in memory.recall("def g return").items)


def test_a_git_repository_is_read_at_its_head_or_at_a_named_revision(tmp_path: Path) -> None:
    repository = porcelain.init(str(tmp_path / "repo"))
    root = tmp_path / "repo"
    commits = []
    for text in ("def f():\n    return 1\n", "def f():\n    return 2\n"):
        (root / "m.py").write_text(text)
        porcelain.add(repository, [str(root / "m.py")])
        sha = porcelain.commit(repository, message=b"step", author=b"a <a@b>", committer=b"a <a@b>")
        commits.append(sha.decode())
    memory = fresh()
    old = memory.ingest(root, revision=commits[0][:10])
    assert old.revision == commits[0][:12]
    assert "return 1" in memory.recall("f return").items[0].text
    new = memory.ingest(root)
    assert new.revision == commits[1][:12]
    assert "return 2" in memory.recall("f return").items[0].text
    (root / "m.py").write_text("def f():\n    return 3\n")
    dirty = memory.ingest(root)
    assert dirty.revision.startswith(commits[1][:12] + "+snapshot-")
    with pytest.raises(NotFound):
        memory.ingest(root, revision="no-such-branch")


def test_a_path_that_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is nothing at"):
        fresh().ingest(tmp_path / "nowhere")


def test_progress_tells_the_count_and_each_file(tmp_path: Path) -> None:
    counts: list[int] = []
    seen: list[str] = []
    fresh().ingest(POOL / "r17", repository="pool", on_listed=counts.append, on_file=seen.append)
    assert counts == [2]
    assert sorted(seen) == ["src/pool.py", "tests/test_pool.py"]


def test_prose_that_names_a_function_mentions_it(tmp_path: Path) -> None:
    (tmp_path / "door.py").write_text("class Door:\n    def open_wide(self):\n        return 1\n")
    (tmp_path / "GUIDE.md").write_text("# Guide\n\nCall `Door.open_wide` to open it.\n")
    memory = fresh()
    memory.ingest(tmp_path, repository="doors")
    edges = [line for line in memory.export() if line["type"] == "edge" and line["edge"] == "mentions"]
    assert len(edges) == 1
    assert edges[0]["provenance"]["locator"] == "GUIDE.md"


def test_a_state_that_shares_no_file_is_refused_unless_it_shall_replace(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.md").write_text(f"# {name}\n")
    memory = fresh()
    memory.ingest(tmp_path / "one", repository="notes")
    (tmp_path / "empty").mkdir()
    for other in ("two", "empty"):
        with pytest.raises(NotPermitted, match="notes holds other files"):
            memory.ingest(tmp_path / other, repository="notes")
    assert memory.recall("one").items
    assert memory.ingest(tmp_path / "two", repository="notes", replace=True).died == 1


def test_a_forgotten_source_is_ingested_again_only_with_an_override(tmp_path: Path) -> None:
    memory, folder = fresh(), tmp_path / "docs"
    write(folder, {"ada.md": "# Ada\n\nAda keeps a zebrafish.\n", "pump.md": "# Pump\n\nThe pump runs.\n"})
    memory.ingest(folder, repository="docs")
    done = memory.forget(source="ada.md", reason="asked")
    assert done.erased
    assert "zebrafish" not in str(list(memory.export()))
    write(folder, {"ada.md": "# Ada\n\nAda keeps a zebrafish.\n", "pump.md": "# Pump\n\nThe pump runs well.\n"})
    with pytest.raises(NotPermitted, match=r"ada\.md"):
        memory.ingest(folder, repository="docs")
    assert memory.ingest(folder, repository="docs", override="Ada agreed.").generation == 2
    assert "zebrafish" in str(list(memory.export()))
    (entry,) = memory.audit(source="graphmem:overrides").found.entries
    assert "Ada agreed." in memory.held(entry.names[0]).record.text


def test_without_what_was_forgotten_the_rest_is_ingested_again(tmp_path: Path) -> None:
    memory, folder = fresh(), tmp_path / "docs"
    write(folder, {"ada.md": "# Ada\n\nAda keeps a zebrafish.\n", "pump.md": "# Pump\n\nThe pump runs.\n"})
    memory.ingest(folder, repository="docs")
    memory.forget(source="ada.md", reason="asked")
    write(folder, {"pump.md": "# Pump\n\nThe pump runs well.\n"})
    assert memory.ingest(folder, repository="docs").generation == 2
