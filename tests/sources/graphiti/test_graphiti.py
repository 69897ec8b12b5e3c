"""GraphitiSource over a real Graphiti on embedded Kuzu."""

from datetime import UTC, datetime

import kuzu
import pytest
from graphiti_core.search.search_config_recipes import EDGE_HYBRID_SEARCH_RRF

from praxa_langgraph import GraphitiSource, MemoryFederation, Namespace
from praxa_langgraph.testing import SeededSource, SourceConformance

from .conftest import ADA, ARRIVED, BOB, MOVED, NOTED, OTHERS, group_id

SUMMER = datetime(2025, 7, 1, tzinfo=UTC)


def federation(graphiti, *, identity=group_id, **options):
    return MemoryFederation([GraphitiSource(graphiti, identity=identity, **options)], timeout=20)


async def arecall(graphiti, *, namespace=ADA, query="where does Ada live", source=(), **options):
    return await federation(graphiti, **dict(source)).arecall(query, namespace=namespace, **options)


class TestEdges(SourceConformance):
    @pytest.fixture
    def seeded(self, graphiti):
        return SeededSource(
            source=GraphitiSource(graphiti, identity=group_id, scopes=("edges", "episodes")),
            namespace=ADA,
            query="lives live",
            texts=frozenset(
                {
                    "Ada lives in Berlin",
                    "Ada lives in Lisbon",
                    "Ada: I live in Berlin",
                    "Ada: I live in Lisbon now",
                }
            ),
            other_namespace=BOB,
            other_texts=frozenset(
                {"One of globex-bob lives in Paris", "Two of globex-bob lives in Rome"}
            ),
        )

    def test_a_limit_of_one_returns_the_first_record(self, seeded):
        assert len(self._recall(seeded, seeded.namespace, limit=1).items) == 1

    def test_every_declared_mode_is_served(self, seeded):
        for mode in ("hybrid", "recent"):
            assert self._recall(seeded, seeded.namespace, mode=mode).items


@pytest.mark.parametrize(("tenant", "subject"), OTHERS)
async def test_each_of_two_tenants_times_two_subjects_sees_exactly_its_own(
    graphiti, tenant, subject
):
    who = Namespace(tenant_id=tenant, subject_id=subject)

    result = await arecall(graphiti, namespace=who, query="who lives where")

    group = f"{tenant}-{subject}"
    assert {item.text for item in result.items} == {
        f"One of {group} lives in Paris",
        f"Two of {group} lives in Rome",
    }


class TestTime:
    async def test_an_outdated_fact_stands_beside_its_successor(self, graphiti):
        result = await arecall(graphiti)

        windows = {item.text: item.matches[0].validity for item in result.items}
        old, new = windows["Ada lives in Berlin"], windows["Ada lives in Lisbon"]
        assert (old.valid_at, old.invalid_at, old.expired_at) == (ARRIVED, MOVED, NOTED)
        assert (old.state, new.state) == ("past", "current")

    async def test_what_was_true_at_another_time_is_judged_at_that_time(self, graphiti):
        result = await arecall(graphiti, as_of=SUMMER)

        states = {item.text: item.matches[0].validity.state for item in result.items}
        assert states == {"Ada lives in Berlin": "current", "Ada lives in Lisbon": "future"}

    async def test_what_is_not_current_is_left_out_on_request_and_counted(self, graphiti):
        result = await arecall(graphiti, include_past=False)

        assert [item.text for item in result.items] == ["Ada lives in Lisbon"]
        assert result.sources[0].not_current_count == 1


class TestKept:
    async def test_ends_lineage_reference_time_and_attributes(self, graphiti):
        result = await arecall(graphiti)

        matches = {item.text: item.matches[0] for item in result.items}
        berlin = matches["Ada lives in Berlin"]
        assert berlin.metadata["source_node_uuid"] == "n-ada"
        assert berlin.metadata["target_node_uuid"] == "n-ber"
        assert berlin.metadata["reference_time"].startswith("2024-03-01T00:00:00")
        assert berlin.provenance.evidence_ids == ("ep-1",)
        assert matches["Ada lives in Lisbon"].metadata["attributes"] == {"confidence": 0.9}

    async def test_kuzus_times_without_an_offset_are_utc(self, graphiti):
        """graphiti#893."""
        result = await arecall(graphiti)

        assert {item.matches[0].created_at for item in result.items} == {NOTED}

    async def test_no_embedding_is_ever_shown(self, graphiti):
        result = await arecall(graphiti, source={"scopes": ("edges", "nodes", "communities")})

        shown = [m.metadata for item in result.items for m in item.matches]
        assert shown
        assert "embedding" not in repr(shown)


class TestScopes:
    async def test_each_scope_has_its_kind(self, graphiti):
        scopes = ("edges", "nodes", "episodes", "communities")

        result = await arecall(
            graphiti, source={"scopes": scopes}, limit=20, query="Ada lives live"
        )

        kinds = {item.kind: item.text for item in reversed(result.items)}
        assert set(kinds) == {"fact", "entity", "episode", "summary"}
        assert kinds["summary"] == "Where Ada lives: abroad"

    async def test_edges_are_relations_where_the_caller_says_so(self, graphiti):
        result = await arecall(graphiti, source={"edge_kind": "edge"})

        assert {item.kind for item in result.items} == {"edge"}

    async def test_scopes_take_turns(self, graphiti):
        result = await arecall(graphiti, source={"scopes": ("edges", "episodes")})

        ranked = sorted((m.source_rank, item.kind) for item in result.items for m in item.matches)
        assert [kind for _, kind in ranked] == ["fact", "episode", "fact", "episode"]

    async def test_only_the_scopes_of_the_kinds_wanted_are_searched(self, graphiti):
        source = {"scopes": ("edges", "episodes")}

        result = await arecall(graphiti, source=source, kinds=["episode"])

        assert {item.kind for item in result.items} == {"episode"}
        assert result.sources[0].filtered_count == 0

    async def test_recent_reads_the_newest_episodes_first(self, graphiti):
        result = await arecall(graphiti, mode="recent")

        assert [item.text for item in result.items] == [
            "Ada: I live in Lisbon now",
            "Ada: I live in Berlin",
        ]
        assert result.items[0].matches[0].provenance.evidence_ids == ("e-lis",)


class TestDoors:
    async def test_a_graph_first_used_on_one_loop_answers_the_sync_door_too(self, graphiti):
        await arecall(graphiti)

        assert len(federation(graphiti).recall("Ada lives", namespace=ADA).items) == 2

    async def test_the_shared_recipe_is_left_as_it_is(self, graphiti):
        """graphiti#1655: search() writes its limit into a recipe that all callers share."""
        before = EDGE_HYBRID_SEARCH_RRF.model_copy(deep=True)

        await arecall(graphiti, limit=1)

        assert before == EDGE_HYBRID_SEARCH_RRF


class TestWidening:
    @pytest.mark.parametrize(
        "widening", [None, "", [], [""], ["acme-ada"], "*", "acme:ada", "acme ada", "../x"]
    )
    async def test_what_would_search_every_group_is_refused_before_the_call(
        self, graphiti, widening
    ):
        """graphiti#838: no group, an empty list or an empty string means all of them."""
        [report] = (await arecall(graphiti, source={"identity": lambda _: widening})).sources

        assert (report.status, report.error.code) == ("error", "source_misconfigured")


class TestFailure:
    async def test_missing_full_text_indexes_are_named_without_any_cypher(self, unindexed_graphiti):
        """graphiti#1112."""
        [report] = (await arecall(unindexed_graphiti)).sources

        assert report.error.code == "source_misconfigured"
        assert "full-text indexes are missing" in report.error.message
        assert "MATCH" not in report.error.message

    async def test_a_closed_database_costs_only_its_own_report(self, graphiti):
        graphiti.driver.client.close()

        [report] = (await arecall(graphiti)).sources

        assert report.status == "error"
        assert "Ada" not in report.error.message

    async def test_a_mode_it_does_not_offer_is_never_presented(self, graphiti):
        [report] = (await arecall(graphiti, mode="exact")).sources

        assert report.error.code == "source_unsupported"


async def test_nothing_is_written_by_a_recall(graphiti):
    connection = kuzu.Connection(graphiti.driver.db)

    def dump():
        rows = connection.execute("MATCH (n) RETURN n.uuid ORDER BY n.uuid").get_all()
        indexes = connection.execute("CALL show_indexes() RETURN *").get_all()
        return rows, indexes

    before = dump()
    await arecall(graphiti)

    assert dump() == before
