"""ZepSource over the real clients of zep-cloud 4.x, 3.x and 2.x."""

import threading

import pytest

from praxa_langgraph import Namespace, ZepSource
from praxa_langgraph.testing import SeededSource, SourceConformance
from servers.loopback import Reply

from .conftest import (
    ADA,
    BOB,
    FACTS,
    KEY,
    VERSIONS,
    arecall,
    edge,
    identity_of,
    opened,
    recall,
    uuid_of,
)

every_version = pytest.mark.parametrize("version", list(VERSIONS))


def texts(result):
    return [item.text for item in result.items]


@pytest.mark.parametrize("version", list(VERSIONS))
class TestConformance(SourceConformance):
    @pytest.fixture
    def seeded(self, clients, zep, version):
        with opened(clients, version, zep) as client:
            yield SeededSource(
                source=ZepSource(client, identity=identity_of(version)),
                namespace=ADA,
                query="lives",
                texts=frozenset(FACTS["acme", "ada"]),
                other_namespace=BOB,
                other_texts=frozenset(FACTS["globex", "bob"]),
            )


@every_version
class TestEveryGeneration:
    async def test_sync_and_async_clients_find_the_same(self, clients, zep, version):
        found = recall(clients, version, zep)
        awaited = await arecall(clients, version, zep)

        assert texts(found) == texts(awaited) == list(FACTS["acme", "ada"])
        assert {item.kind for item in found.items} == {"edge"}

    @pytest.mark.parametrize(("tenant", "subject"), list(FACTS))
    def test_two_tenants_times_two_subjects_see_exactly_their_own(
        self, clients, zep, version, tenant, subject
    ):
        who = Namespace(tenant_id=tenant, subject_id=subject)

        assert texts(recall(clients, version, zep, namespace=who)) == list(FACTS[tenant, subject])

    def test_window_ends_lineage_and_attributes_are_kept(self, clients, zep, version):
        match = recall(clients, version, zep).items[0].matches[0]

        assert match.validity.valid_at.isoformat() == "2026-01-01T00:00:00+00:00"
        assert match.created_at.isoformat() == "2026-01-05T09:00:00.123456+00:00"
        assert match.metadata["source_node_uuid"] == "n-1"
        assert match.metadata["attributes"] == {"certain": True}
        assert match.provenance.evidence_ids == ("ep-2",)
        assert match.score.value == 0.5

    def test_the_query_is_cut_where_zep_caps_it_and_the_match_says_so(self, clients, zep, version):
        """getzep/zep#575."""
        match = recall(clients, version, zep, query="x" * 500).items[0].matches[0]

        assert len(zep.requests[0].body["query"]) == 400
        assert match.omitted == {"query": "cut at 400 of 500 characters for Zep"}

    def test_it_is_a_graph_search_and_no_exact_look_up(self, clients, zep, version):
        assert recall(clients, version, zep).sources[0].retrieval_mode == "graph"
        assert recall(clients, version, zep, mode="exact").sources[0].error.code == (
            "source_unsupported"
        )

    @pytest.mark.parametrize(
        "widening",
        [{}, None, {"user_id": "*"}, {"user_uuid": "../x"}, {"graph_uuid": "a/b"}, "ada"],
    )
    def test_a_mapping_that_widens_is_refused_and_nothing_is_sent(
        self, clients, zep, version, widening
    ):
        """4.x puts the id into the URL as it is: `../x` would leave the graph (measured)."""
        [report] = recall(clients, version, zep, source={"identity": lambda _: widening}).sources

        assert report.error.code == "source_misconfigured"
        assert zep.requests == []

    @pytest.mark.parametrize(
        ("reply", "status", "code"),
        [
            (Reply(400, {"message": "bad"}), "error", "source_error"),
            (Reply(401, {"message": "no"}), "error", "source_unauthorized"),
            (Reply(403, {"message": "no"}), "error", "source_unauthorized"),
            (Reply(404, {"message": "none"}), "error", "source_not_found"),
            (Reply(422, {"message": "bad"}), "error", "source_error"),
            (
                Reply(200, b"<html>gateway</html>", {}, "text/html"),
                "error",
                "source_invalid_response",
            ),
            (Reply(200, None), "error", "source_invalid_response"),
        ],
        ids=["400", "401", "403", "404", "422", "html", "null"],
    )
    async def test_a_failure_becomes_its_status_and_code(
        self, clients, zep, version, reply, status, code
    ):
        zep.holds.reply = reply

        for result in (recall(clients, version, zep), await arecall(clients, version, zep)):
            [report] = result.sources
            assert (report.status, report.error.code) == (status, code)
            for secret in (KEY, "gateway", "127.0.0.1", "content-type"):
                assert secret not in report.error.message

    def test_an_answer_without_hits_is_empty_and_ok(self, clients, zep, version):
        zep.holds.reply = Reply(200, {})

        assert (recall(clients, version, zep).status, recall(clients, version, zep).items) == (
            "ok",
            (),
        )

    def test_a_zep_that_never_answers_is_timed_out(self, clients, zep, version):
        release = threading.Event()
        zep.holds.reply = Reply(release=release)
        try:
            [report] = recall(clients, version, zep, timeout=0.3).sources
        finally:
            release.set()

        assert (report.status, report.error.code) == ("timed_out", "source_timed_out")

    async def test_a_body_that_drips_is_timed_out(self, clients, zep, version):
        """A client's time-out is per read, so only the deadline outside ends it (measured)."""
        stop = threading.Event()
        zep.holds.reply = Reply(200, b" " * 10_000, drip=stop)
        try:
            for result in (
                recall(clients, version, zep, timeout=0.4),
                await arecall(clients, version, zep, timeout=0.4),
            ):
                assert result.sources[0].error.code == "source_timed_out"
        finally:
            stop.set()


@pytest.mark.parametrize("version", ["4", "3"])
class TestRetries:
    """2.22 retries whatever it is told: its monkey-patch drops the request options (measured)."""

    @pytest.mark.parametrize(
        ("reply", "status", "code"),
        [
            (Reply(408, {}), "timed_out", "source_timed_out"),
            (
                Reply(429, b"Rate limit exceeded", {"Retry-After": "60"}),
                "unavailable",
                "source_rate_limited",
            ),
            (Reply(500, {}), "error", "source_error"),
            (Reply(502, b"<html>"), "unavailable", "source_unavailable"),
            (Reply(503, {}), "unavailable", "source_unavailable"),
            (Reply(504, {}), "timed_out", "source_timed_out"),
        ],
        ids=["408", "429", "500", "502", "503", "504"],
    )
    async def test_the_client_tries_once_and_no_more(
        self, clients, zep, version, reply, status, code
    ):
        """4.x would try three times and wait up to a minute in between; MiroFish#60."""
        zep.holds.reply = reply

        for result in (recall(clients, version, zep), await arecall(clients, version, zep)):
            assert (result.sources[0].status, result.sources[0].error.code) == (status, code)
        assert len(zep.requests) == 2

    def test_what_zep_says_about_when_to_come_back_is_passed_on(self, clients, zep, version):
        zep.holds.reply = Reply(429, b"Rate limit exceeded", {"Retry-After": "60"})

        assert recall(clients, version, zep).sources[0].error.retry_after_s == 60.0


async def test_the_deadline_holds_against_a_2_22_that_goes_on_retrying(clients, zep):
    zep.holds.reply = Reply(503, {})

    [report] = (await arecall(clients, "2", zep, timeout=0.3)).sources

    assert report.status in {"timed_out", "unavailable"}
    assert report.duration_ms < 2_000


class TestScopes:
    SCOPES = ("edges", "nodes", "episodes", "observations", "thread_summaries")

    def holding_everything(self, zep):
        at = {"created_at": "2026-01-05T09:00:00Z"}
        nodes = {"episode_uuids": ["ep-1"], "episode_uuids_truncated": False, "labels": ["Person"]}
        zep.holds.scopes = {
            "nodes": [{"uuid": "n-1", "name": "Ada", "summary": "an engineer", **nodes, **at}],
            "episodes": [{"uuid": "ep-1", "content": "I moved", "source": "message", **at}],
            "observations": [{"uuid": "o-1", "name": "move", "summary": "Ada relocated", **at}],
            "thread_summaries": [{"uuid": "s-1", "summary": "About moving", **at}],
        }

    async def test_each_has_its_kind_and_they_take_turns(self, clients, zep):
        self.holding_everything(zep)
        source = {"scopes": self.SCOPES}

        for result in (
            recall(clients, "4", zep, source=source),
            await arecall(clients, "4", zep, source=source),
        ):
            ranked = sorted(
                (m.source_rank, i.kind, i.text) for i in result.items for m in i.matches
            )
            assert ranked == [
                (1, "edge", "Ada lives in Berlin"),
                (2, "entity", "Ada: an engineer"),
                (3, "episode", "I moved"),
                (4, "fact", "Ada relocated"),
                (5, "summary", "About moving"),
                (6, "edge", "Ada lives in Lisbon"),
            ]

    def test_only_the_scopes_of_the_kinds_wanted_are_searched(self, clients, zep):
        self.holding_everything(zep)

        recall(clients, "4", zep, source={"scopes": self.SCOPES}, kinds=["entity"])

        assert [request.path.rpartition("/")[2] for request in zep.requests] == ["nodes"]

    async def test_a_scope_that_fails_beside_others_is_reported_as_incomplete(self, clients, zep):
        """One bad item spoils its whole page in the client: a node without its episodes."""
        zep.holds.scopes = {"nodes": [{"uuid": "n-1", "name": "no episode_uuids"}]}
        source = {"scopes": ("edges", "nodes")}

        for result in (
            recall(clients, "4", zep, source=source),
            await arecall(clients, "4", zep, source=source),
        ):
            [report] = result.sources
            assert report.status == "ok"
            assert texts(result) == list(FACTS["acme", "ada"])
            assert report.rejections[0].code == "incomplete_answer"
            assert "nodes did not answer" in report.rejections[0].message

    def test_a_page_of_4_x_is_never_turned(self, clients, zep):
        page = [edge(i, f"fact {i}", uuid_of("acme", "ada")) for i in range(3)]
        zep.holds.reply = Reply(200, {"items": page, "next_cursor": "more"})

        assert len(recall(clients, "4", zep, limit=3).items) == 3
        assert len(zep.requests) == 1
        assert zep.requests[0].query["page_size"] == ["3"]


class TestSecondCheck:
    def test_a_hit_of_another_user_is_rejected(self, clients, zep):
        zep.holds.scopes = {
            "edges": [
                edge(1, "of another", uuid_of("acme", "bob")),
                edge(2, "own", uuid_of("acme", "ada")),
            ]
        }

        result = recall(clients, "4", zep)

        assert texts(result) == ["own"]
        assert result.sources[0].rejections[0].code == "foreign_scope"


class TestOddHits:
    @pytest.mark.parametrize("odd", [{"fact": "", "name": ""}, {"fact": None, "name": None}])
    def test_a_hit_without_text_costs_only_itself(self, clients, zep, odd):
        zep.holds.scopes = {
            "edges": [{**edge(1, "x", None), **odd}, edge(2, "Ada lives in Lisbon", None)]
        }

        result = recall(clients, "4", zep)

        assert texts(result) == ["Ada lives in Lisbon"]
        assert result.sources[0].rejected_count == 1

    @pytest.mark.parametrize("time", ["", "2026-01-05 09:00:00 +0000 UTC", "0001-01-01T00:00:00Z"])
    def test_a_time_that_cannot_be_read_costs_only_the_time(self, clients, zep, time):
        zep.holds.scopes = {"edges": [edge(1, "tea", None, created_at=time, valid_at=time)]}

        match = recall(clients, "4", zep).items[0].matches[0]

        assert (match.created_at, match.validity) == (None, None)
        assert "created_at" in match.omitted


def test_what_has_no_graph_search_is_refused():
    with pytest.raises(TypeError, match="a Zep client with a graph search, not object"):
        ZepSource(object(), identity=lambda _: {})
