"""GraphitiSource through a transport of the caller's, and on odd results."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from graphiti_core.edges import EntityEdge
from graphiti_core.search.search_config import SearchResults

from praxa_langgraph import GraphitiSource, MemoryFederation, MemoryRecord, Namespace

ADA = Namespace(tenant_id="acme", subject_id="ada")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def edge(uuid, *, group="acme-ada", fact=None, **fields):
    return EntityEdge(
        uuid=uuid,
        source_node_uuid="a",
        target_node_uuid="b",
        name="KNOWS",
        fact=f"fact of {uuid}" if fact is None else fact,
        group_id=group,
        created_at=NOW,
        **fields,
    )


def recall(transport, **options):
    source = GraphitiSource(
        transport, identity=lambda who: f"{who.tenant_id}-{who.subject_id}", **options
    )
    return MemoryFederation([source]).recall("tea", namespace=ADA)


class TestForms:
    def test_a_function_gets_the_request_and_the_group(self):
        seen = []

        def transport(request, group_id):
            seen.append((request.query, group_id))
            return [MemoryRecord(record_id="1", kind="fact", text="tea")]

        assert [item.text for item in recall(transport).items] == ["tea"]
        assert seen == [("tea", "acme-ada")]

    def test_it_may_be_async_and_return_results(self):
        async def transport(_request, _group_id):
            return SearchResults(edges=[edge("1"), edge("2")], edge_reranker_scores=[1.0, 0.5])

        result = recall(transport)

        assert [i.matches[0].score.value for i in result.items] == [1.0, 0.5]

    def test_an_object_with_search_is_a_transport(self):
        transport = SimpleNamespace(search=lambda request, group_id: [edge("1")])

        assert [item.text for item in recall(transport).items] == ["fact of 1"]

    def test_what_is_neither_is_refused(self):
        with pytest.raises(TypeError, match="a Graphiti or a transport, not int"):
            GraphitiSource(7, identity=lambda _: "g")

    def test_plain_objects_of_a_service_are_read(self):
        """graphiti#1735: a REST answer has neither ends nor episodes."""
        fact = {
            "uuid": "1",
            "fact": "tea",
            "group_id": "acme-ada",
            "valid_at": "2026-01-01T00:00:00Z",
        }

        [item] = recall(lambda *_: [fact]).items

        assert item.matches[0].validity.valid_at == NOW


class TestSecondCheck:
    @pytest.mark.parametrize("group", ["acme-bob", "", None])
    def test_a_hit_of_another_group_is_rejected(self, group):
        """graphiti#632, PR #752: group_ids were ignored for nodes and for full text."""
        leaked = {"uuid": "1", "fact": "of another", "group_id": group}

        result = recall(lambda *_: [leaked, edge("2")])

        assert [item.text for item in result.items] == ["fact of 2"]
        assert result.sources[0].rejections[0].code == "foreign_scope"

    def test_a_record_that_names_another_group_is_rejected(self):
        leaked = MemoryRecord(
            record_id="1", kind="fact", text="of another", metadata={"group_id": "acme-bob"}
        )

        assert recall(lambda *_: [leaked]).sources[0].error.code == "source_scope_violation"


class TestOddResults:
    def test_scores_that_do_not_fit_the_objects_are_not_used(self):
        """A node-distance search gave three edges and one score (measured)."""
        odd = SearchResults(edges=[edge("1"), edge("2")], edge_reranker_scores=[1.0])

        assert {i.matches[0].score for i in recall(lambda *_: odd).items} == {None}

    def test_facts_of_equal_text_are_two_matches_of_one_item(self):
        """graphiti#1816: a cross-encoder would have dropped one of them."""
        [item] = recall(lambda *_: [edge("1", fact="tea"), edge("2", fact="tea")]).items

        assert [m.source_record_id for m in item.matches] == ["1", "2"]

    def test_driver_types_in_attributes_become_plain(self):
        """graphiti#1438: a neo4j DateTime breaks Graphiti's own JSON."""

        class DriverTime:
            def to_native(self):
                return NOW

        [item] = recall(lambda *_: [edge("1", attributes={"at": DriverTime()})]).items

        assert item.matches[0].metadata["attributes"] == {"at": "2026-01-01T00:00:00+00:00"}

    def test_an_edge_without_a_fact_is_named_by_its_relation(self):
        assert [i.text for i in recall(lambda *_: [edge("1", fact="")]).items] == ["KNOWS"]

    @pytest.mark.parametrize("odd", [7, None])
    def test_an_object_that_is_none_of_graphitis_costs_only_itself(self, odd):
        result = recall(lambda *_: [odd, edge("2")])

        assert [item.text for item in result.items] == ["fact of 2"]
        assert result.sources[0].rejected_count == 1

    @pytest.mark.parametrize("answer", [None, 7, "facts"])
    def test_an_answer_that_is_no_result_is_an_error(self, answer):
        assert recall(lambda *_: answer).sources[0].error.code == "source_invalid_response"

    def test_an_embedding_that_comes_along_is_left_off_and_said_so(self):
        [item] = recall(lambda *_: [edge("1", fact_embedding=[0.1] * 8)]).items

        assert item.matches[0].omitted == {"metadata.fact_embedding": "an embedding"}
