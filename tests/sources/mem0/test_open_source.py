"""Mem0Source over a real embedded Mem0."""

import json

import pytest

from praxa_langgraph import Mem0Source, MemoryFederation, Namespace
from praxa_langgraph.testing import SeededSource, SourceConformance

from .conftest import FACTS, user_id

ADA = Namespace(tenant_id="acme", subject_id="ada")


def identity(who):
    return {"user_id": user_id(who.tenant_id, who.subject_id)}


def recall(client, *, namespace=ADA, identity=identity, **options):
    federation = MemoryFederation([Mem0Source(client, identity=identity)], timeout=20)
    return federation.recall("tea", namespace=namespace, **options)


def seeded_with(client):
    return SeededSource(
        source=Mem0Source(client, identity=identity),
        namespace=ADA,
        query="tea",
        texts=frozenset(FACTS["acme", "ada"]),
        other_namespace=Namespace(tenant_id="globex", subject_id="bob"),
        other_texts=frozenset(FACTS["globex", "bob"]),
    )


class TestMemory(SourceConformance):
    @pytest.fixture
    def seeded(self, memory):
        return seeded_with(memory)


class TestAsyncMemory(SourceConformance):
    @pytest.fixture
    def seeded(self, async_memory):
        return seeded_with(async_memory)


@pytest.mark.parametrize(("tenant", "subject"), list(FACTS))
def test_each_of_two_tenants_times_two_subjects_sees_exactly_its_own(memory, tenant, subject):
    result = recall(memory, namespace=Namespace(tenant_id=tenant, subject_id=subject))

    assert {item.text for item in result.items} == set(FACTS[tenant, subject])


class TestKept:
    def test_everything_mem0_gives_is_kept(self, memory):
        match = recall(memory).items[0].matches[0]

        assert match.score is not None
        assert match.created_at is not None
        assert match.updated_at is not None
        assert match.metadata["user_id"] == "acme:ada"
        assert match.metadata["metadata"] == {"topic": "drinks"}
        assert len(match.metadata["hash"]) == 32

    def test_a_filter_narrows_and_never_widens(self, memory):
        everything = recall(memory, filter={"topic": "drinks"})
        nothing = recall(memory, filter={"topic": "travel"})

        assert len(everything.items) == 2
        assert (nothing.status, nothing.items) == ("ok", ())


class TestWidening:
    """What Mem0 would read for these is measured in the provider's notes: everybody, or another."""

    @pytest.mark.parametrize(
        "widening",
        [
            {},
            None,
            {"user_id": "*"},
            {"user_id": ""},
            {"user_id": None},
            {"user_id": ["acme:ada", "acme:bob"]},
            {"user_id": {"in": ["acme:ada"]}},
            {"user_id": "acme ada"},
            {"user_id": "acme:ada", "AND": [{"user_id": "acme:bob"}]},
            {"app_id": "shop"},
            {"metadata": "x"},
        ],
    )
    def test_a_mapping_that_widens_the_read_is_refused_before_the_call(self, memory, widening):
        report = recall(memory, identity=lambda _: widening).sources[0]

        assert (report.status, report.error.code) == ("error", "source_misconfigured")

    @pytest.mark.parametrize(
        "given",
        [
            {"user_id": "acme:bob"},
            {"AND": [{"user_id": "acme:bob"}]},
            {"OR": [{"topic": "x"}, {"NOT": {"agent_id": "*"}}]},
        ],
    )
    def test_a_filter_that_names_an_identity_is_refused(self, memory, given):
        report = recall(memory, filter=given).sources[0]

        assert (report.status, report.error.code) == ("error", "source_misconfigured")
        assert "bob" not in report.error.message

    def test_a_mapper_that_fails_is_reported_without_its_words(self, memory):
        def fail(_):
            raise KeyError("acme-secret")

        report = recall(memory, identity=fail).sources[0]

        assert report.error.code == "source_misconfigured"
        assert "acme-secret" not in report.error.message


class LeakingMem0:
    """Mem0 that ignores its filters, as a FAISS store with empty payloads did (mem0#6998)."""

    def __init__(self, *hits):
        self.hits = hits

    def search(self, query, **options):
        return {"results": list(self.hits)}


def hit(record_id, **fields):
    return {"id": record_id, "memory": f"text of {record_id}", "user_id": "acme:ada", **fields}


class TestSecondCheck:
    def test_a_foreign_hit_is_rejected_and_its_rank_stays_empty(self):
        result = recall(LeakingMem0(hit("1", user_id="acme:bob"), hit("2")))

        [item] = result.items
        assert (item.text, item.matches[0].source_rank) == ("text of 2", 2)
        assert [r.code for r in result.sources[0].rejections] == ["foreign_scope"]

    def test_only_foreign_hits_are_a_violation(self):
        result = recall(LeakingMem0(hit("1", user_id="acme:bob"), hit("2", user_id=None)))

        assert result.status == "failed"
        assert result.sources[0].error.code == "source_scope_violation"

    def test_every_part_of_the_identity_is_compared(self):
        result = recall(
            LeakingMem0(hit("1", agent_id="other"), hit("2", agent_id="helper"), hit("3")),
            identity=lambda who: {**identity(who), "agent_id": "helper"},
        )

        assert [item.text for item in result.items] == ["text of 2", "text of 3"]


class OddMem0:
    """Mem0 that answers something else than a list of hits."""

    def __init__(self, answer):
        self.answer = answer

    def search(self, query, **options):
        return self.answer


class TestOddAnswers:
    @pytest.mark.parametrize(
        "answer", [None, {"status": "PENDING", "event_id": "e"}, "text", {"results": None}, 7]
    )
    def test_an_answer_without_hits_is_an_error_not_an_empty_memory(self, answer):
        report = recall(OddMem0(answer)).sources[0]

        assert (report.status, report.error.code) == ("error", "source_invalid_response")

    def test_a_bare_list_of_an_older_platform_is_read(self):
        """mem0#3381, mem0#3309."""
        assert [i.text for i in recall(OddMem0([hit("1")])).items] == ["text of 1"]

    def test_a_bad_hit_costs_only_itself(self):
        odd = [None, {"memory": "no id", "user_id": "acme:ada"}, hit("2"), hit("3", memory="")]

        result = recall(OddMem0({"results": odd}))

        assert [item.text for item in result.items] == ["text of 2"]
        assert result.sources[0].rejected_count == 3

    def test_bad_optional_fields_cost_only_the_field(self):
        """Metadata may set any created_at (measured), and scores have been NaN."""
        odd = hit(
            "1",
            created_at="yesterday-ish",
            score=float("nan"),
            updated_at="2026-01-01T00:00:00-07:00",
        )

        match = recall(OddMem0({"results": [odd]})).items[0].matches[0]

        assert set(match.omitted) == {"created_at", "score"}
        assert match.updated_at.isoformat() == "2026-01-01T07:00:00+00:00"

    def test_a_checkpoint_kept_as_metadata_never_becomes_a_fact(self):
        state = {"channel_values": {}, "channel_versions": {}}

        result = recall(OddMem0([hit("1", metadata=state), hit("2")]))

        assert [item.text for item in result.items] == ["text of 2"]
        assert result.sources[0].rejections[0].code == "checkpoint_state"


def test_a_client_without_search_is_refused():
    with pytest.raises(TypeError, match="Mem0 client with search"):
        Mem0Source(object(), identity=identity)


def test_nothing_is_written_by_a_recall(memory):
    before = json.dumps(memory.get_all(filters={"user_id": "acme:ada"}), sort_keys=True)

    recall(memory)

    assert json.dumps(memory.get_all(filters={"user_id": "acme:ada"}), sort_keys=True) == before
