"""LettaSource over the real letta-client, against rows recorded from a real server."""

import threading

import pytest
from letta_client import Letta

from praxa_langgraph import LettaSource, Namespace
from praxa_langgraph.testing import SeededSource, SourceConformance
from servers.loopback import Reply

from .conftest import (
    ADA,
    AGENTS,
    BOB,
    PEOPLE,
    agent_id,
    arecall,
    block,
    message,
    recall,
    recall_recorded,
)


def texts(result, kind=None):
    return [item.text for item in result.items if kind in (None, item.kind)]


def by_rank(result, kind):
    ranked = [
        (m.source_rank, item.text)
        for item in result.items
        for m in item.matches
        if item.kind == kind
    ]
    return [text for _, text in sorted(ranked)]


class TestConformance(SourceConformance):
    @pytest.fixture
    def seeded(self, letta):
        with Letta(base_url=letta.url, api_key="unused", timeout=5) as client:
            yield SeededSource(
                source=LettaSource(client, identity=agent_id),
                namespace=ADA,
                query="tea",
                texts=frozenset({"acme ada prefers tea", "acme ada said hello"}),
                other_namespace=BOB,
                other_texts=frozenset({"globex bob prefers tea", "globex bob said hello"}),
            )


@pytest.mark.parametrize(("tenant", "subject"), PEOPLE)
async def test_each_of_two_tenants_times_two_subjects_sees_exactly_its_own(letta, tenant, subject):
    who = Namespace(tenant_id=tenant, subject_id=subject)

    for result in (recall(letta, namespace=who), await arecall(letta, namespace=who)):
        assert set(texts(result)) == {
            f"{tenant} {subject} prefers tea",
            f"{tenant} {subject} said hello",
        }


class TestRecordedRows:
    """30 rows of 25 messages, as a real 0.16.8 returned them."""

    def test_messages_are_newest_first_whichever_way_the_page_runs(self, letta):
        assert by_rank(recall_recorded(letta), "message") == [
            "plain three",
            "Noted: you live in Oslo now.",
            "I moved from Bergen to Oslo in March.",
            "née ☕ “quotes” and \n newline",
            "part one part two",
            "same second",
            "raw unpacked text",
            "Hi via send_message",
            '{"foo": 1}',
            "see picture",
            "After omitted.",
            "After redacted.",
            "Lovely! Miso is a great name.",
            "I adopted a cat named Miso.",
        ]

    def test_system_prompt_reasoning_tools_and_lettas_own_words_are_left_out(self, letta):
        shown = repr(recall_recorded(letta).to_wire())

        for hidden in (
            "base_instructions",
            "User has a cat.",
            "tool_call",
            "heartbeat",
            "Prior messages hidden",
            "Context was trimmed",
        ):
            assert hidden not in shown

    def test_blocks_are_pinned_context_without_a_time(self, letta):
        result = recall_recorded(letta)

        pinned = {
            item.text: item.matches[0] for item in result.items if item.kind == "pinned_context"
        }
        human = pinned["Name: Ada. Prefers tea. Lives in Oslo."]
        assert human.created_at is None
        assert human.metadata["label"] == "human"
        assert human.metadata["limit"] == 2000
        assert human.source_record_id.startswith("block-")
        assert "" not in pinned

    def test_rows_that_share_a_message_id_have_ids_of_their_own(self, letta):
        result = recall_recorded(
            letta, source={"message_types": ["assistant_message", "reasoning_message"]}
        )

        ids = [m.source_record_id for item in result.items for m in item.matches]
        assert len(ids) == len(set(ids))
        assert result.sources[0].duplicate_count == 0

    def test_an_image_is_described_without_its_bytes(self, letta):
        result = recall_recorded(letta)

        [match] = [i.matches[0] for i in result.items if i.text == "see picture"]
        assert match.metadata["content"][0]["type"] == "image"
        assert "data" not in match.metadata["content"][0]["source"]
        assert match.omitted == {"metadata.content.source.data": "binary content"}

    def test_message_types_are_read_on_request(self, letta):
        result = recall_recorded(letta, source={"message_types": ["reasoning_message"]})

        assert "User has a cat." in texts(result, "message")


class TestPages:
    def test_one_page_of_each_is_read_and_no_more(self, letta):
        recall(letta, limit=5)

        assert sorted(request.path.rpartition("/")[2] for request in letta.requests) == [
            "blocks",
            "messages",
        ]

    def test_the_newest_rows_are_asked_for_and_more_than_the_messages_wanted(self, letta):
        """lettabot#382: without an order the oldest come first and the newest never."""
        recall(letta, limit=5)

        [page] = [request for request in letta.requests if request.path.endswith("messages")]
        assert page.query == {"order": ["desc"], "limit": ["15"]}

    def test_only_the_part_of_the_kinds_wanted_is_read(self, letta):
        recall(letta, kinds=["pinned_context"])

        assert [request.path.rpartition("/")[2] for request in letta.requests] == ["blocks"]


class TestBlocks:
    def test_labels_are_matched_exactly_in_the_list(self, letta):
        """letta#3422: a label with a slash cannot be fetched by its label."""
        letta.holds.blocks[AGENTS["acme", "ada"]] = [
            block(1, "wanted", label="system/persona"),
            block(2, "not wanted", label="System/Persona"),
        ]

        result = recall(letta, source={"labels": ["system/persona"], "parts": ["blocks"]})

        assert texts(result) == ["wanted"]

    def test_a_value_above_every_limit_is_cut_and_said_so(self, letta):
        """letta#3241, Letta-MCP-server#138."""
        letta.holds.blocks[AGENTS["acme", "ada"]] = [block(1, "x" * 200_000)]

        [item] = recall(letta, source={"parts": ["blocks"]}).items

        assert item.matches[0].omitted == {"text": "cut at 65,536 of 200,000 characters"}


class TestPartialFailure:
    async def test_a_failing_message_list_still_yields_the_blocks(self, letta):
        """letta#2727: one stored row makes the whole list of messages fail."""
        letta.holds.failures["messages"] = Reply(500, {"detail": "poison row of acme ada"})

        for result in (recall(letta), await arecall(letta)):
            [report] = result.sources
            assert report.status == "ok"
            assert texts(result) == ["acme ada prefers tea"]
            assert [r.code for r in report.rejections] == ["incomplete_answer"]
            assert "messages did not answer: source_error" in report.rejections[0].message
            assert "poison" not in report.rejections[0].message

    def test_when_both_fail_the_source_does(self, letta):
        letta.holds.failures = {"messages": Reply(503, {}), "blocks": Reply(503, {})}

        [report] = recall(letta).sources

        assert (report.status, report.error.code) == ("unavailable", "source_unavailable")


class TestFailure:
    @pytest.mark.parametrize(
        ("reply", "status", "code"),
        [
            (Reply(401, {"detail": "key"}), "error", "source_unauthorized"),
            (Reply(404, {"detail": "user-123 of org-9"}), "error", "source_not_found"),
            (Reply(408, {}), "timed_out", "source_timed_out"),
            (Reply(409, {"detail": "INSERT INTO"}), "error", "source_error"),
            (Reply(422, {"detail": "bad"}), "error", "source_error"),
            (Reply(429, {}, {"Retry-After": "30"}), "unavailable", "source_rate_limited"),
            (Reply(500, {}), "error", "source_error"),
            (Reply(502, b"<html>", {}, "text/html"), "unavailable", "source_unavailable"),
            (Reply(504, {}), "timed_out", "source_timed_out"),
            (Reply(200, b"<html>", {}, "text/html"), "error", "source_invalid_response"),
            (Reply(200, None), "error", "source_invalid_response"),
            (Reply(200, b"[{"), "error", "source_invalid_response"),
            (Reply(200, {"messages": []}), "error", "source_invalid_response"),
        ],
        ids=[
            *("401", "404", "408", "409", "422", "429", "500", "502", "504"),
            *("html", "null", "truncated", "wrapped"),
        ],
    )
    async def test_a_failure_becomes_its_status_and_code_after_one_attempt(
        self, letta, reply, status, code
    ):
        letta.holds.failures = {"blocks": reply, "messages": reply}

        for result in (recall(letta), await arecall(letta)):
            [report] = result.sources
            assert (report.status, report.error.code) == (status, code)
            assert "INSERT" not in report.error.message
            assert "org-9" not in report.error.message
        assert len(letta.requests) == 4

    def test_a_server_that_never_answers_is_timed_out(self, letta):
        release = threading.Event()
        letta.holds.failures = {
            "blocks": Reply(release=release),
            "messages": Reply(release=release),
        }
        try:
            [report] = recall(letta, timeout=0.3).sources
        finally:
            release.set()

        assert (report.status, report.error.code) == ("timed_out", "source_timed_out")

    def test_what_is_no_letta_client_is_refused(self):
        with pytest.raises(TypeError, match="must be a Letta client, not object"):
            LettaSource(object(), identity=agent_id)


class TestIdentity:
    @pytest.mark.parametrize(
        "widening", [None, "", "*", "..", "agent-1/../agent-2", "a?b", "a%2Fb", ["agent-1"]]
    )
    def test_a_mapping_that_could_leave_the_agent_is_refused_and_nothing_is_sent(
        self, letta, widening
    ):
        [report] = recall(letta, identity=lambda _: widening).sources

        assert report.error.code == "source_misconfigured"
        assert letta.requests == []

    def test_a_row_that_names_another_agent_is_rejected(self, letta):
        letta.holds.messages[AGENTS["acme", "ada"]] = [
            message(1, "own"),
            message(2, "of another", agent_id="agent-2"),
        ]
        letta.holds.blocks[AGENTS["acme", "ada"]] = [block(1, "of another", agent_id="agent-2")]

        result = recall(letta)

        assert texts(result) == ["own"]
        assert [r.code for r in result.sources[0].rejections] == ["foreign_scope"] * 2


class TestOddRows:
    def test_rows_without_a_type_or_of_an_unknown_one_cost_only_themselves(self, letta):
        """letta#1966, letta#1794, letta-agent-sdk#76."""
        letta.holds.messages[AGENTS["acme", "ada"]] = [
            {"id": "message-0", "date": "2026-11-30T12:00:00+00:00"},
            message(1, "x", kind="internal_monologue"),
            message(2, "x", kind="event_message"),
            message(3, "own"),
        ]

        result = recall(letta, source={"parts": ["messages"]})

        assert texts(result) == ["own"]
        assert [r.code for r in result.sources[0].rejections] == ["invalid_record"]

    @pytest.mark.parametrize("date", [None, "yesterday", "2026-11-30T12:00:00"])
    def test_a_date_that_cannot_be_read_costs_only_the_date(self, letta, date):
        letta.holds.messages[AGENTS["acme", "ada"]] = [message(1, "own", date=date)]

        [item] = recall(letta, source={"parts": ["messages"]}).items

        assert item.matches[0].created_at is None

    def test_what_a_user_really_typed_as_json_is_kept(self, letta):
        letta.holds.messages[AGENTS["acme", "ada"]] = [
            message(1, '{"type": "user_message", "message": "unpacked", "time": "x"}'),
            message(2, '{"type": "order", "id": 7}'),
            message(3, "{not json"),
        ]

        result = recall(letta, source={"parts": ["messages"]})

        assert set(texts(result)) == {"unpacked", '{"type": "order", "id": 7}', "{not json"}
