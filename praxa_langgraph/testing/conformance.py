"""The suite that every source passes, ours and yours; run it with pytest."""

from __future__ import annotations

from dataclasses import dataclass

from praxa_langgraph.bounds.limits import MAX_RESULTS_PER_SOURCE, SOURCE_ID
from praxa_langgraph.federation import MemoryFederation
from praxa_langgraph.models import (
    PROVIDERS,
    RETRIEVAL_MODES,
    Namespace,
    RecallResult,
    RetrievalMode,
)
from praxa_langgraph.sources.base import MemorySource


@dataclass(frozen=True, slots=True, kw_only=True)
class SeededSource:
    """A source over a real store that holds what the test wrote."""

    source: MemorySource
    namespace: Namespace
    query: str
    """Finds at least two records of the namespace."""
    texts: frozenset[str]
    """The texts the query finds, in any order."""
    other_namespace: Namespace
    """Another subject of another tenant, with memory of its own in the same store."""
    other_texts: frozenset[str]
    """The texts the query finds there; none of them in `texts`."""


class SourceConformance:
    """What any source must hold. Subclass it and give a fixture `seeded`.

    The fixture is made anew for every test, so that an async client meets one event loop only.

    Example:
        ```python
        class TestMySource(SourceConformance):
            @pytest.fixture
            def seeded(self, tmp_path) -> SeededSource: ...
        ```
    """

    timeout: float = 20.0
    """Seconds a read may take here; generous, because it is not what is tested."""

    def test_it_declares_what_it_is(self, seeded: SeededSource) -> None:
        source = seeded.source

        assert isinstance(source, MemorySource)
        assert SOURCE_ID.fullmatch(source.id)
        assert source.provider in PROVIDERS
        assert source.capabilities.read_only is True

    def test_sync_door_finds_exactly_what_the_namespace_holds(self, seeded: SeededSource) -> None:
        result = self._recall(seeded, seeded.namespace)

        assert _texts(result) == seeded.texts

    async def test_async_door_finds_exactly_what_the_namespace_holds(
        self, seeded: SeededSource
    ) -> None:
        result = await self._federation(seeded).arecall(
            seeded.query, namespace=seeded.namespace, limit=MAX_RESULTS_PER_SOURCE
        )

        assert result.status == "ok", result.sources
        assert _texts(result) == seeded.texts

    def test_another_subject_sees_exactly_its_own(self, seeded: SeededSource) -> None:
        result = self._recall(seeded, seeded.other_namespace)

        assert _texts(result) == seeded.other_texts

    def test_a_subject_without_memory_is_ok_and_empty(self, seeded: SeededSource) -> None:
        nobody = Namespace(tenant_id="nobody-tenant", subject_id="nobody")

        assert self._recall(seeded, nobody).items == ()

    def test_records_are_of_the_declared_kinds(self, seeded: SeededSource) -> None:
        result = self._recall(seeded, seeded.namespace)

        assert {item.kind for item in result.items} <= set(seeded.source.capabilities.kinds)

    def test_records_name_their_source_and_namespace(self, seeded: SeededSource) -> None:
        result = self._recall(seeded, seeded.namespace)

        for match in (match for item in result.items for match in item.matches):
            assert match.provenance.source_id == match.source_id == seeded.source.id
            assert match.provenance.provider == match.provider == seeded.source.provider
            assert match.provenance.namespace == seeded.namespace

    def test_the_same_question_gets_the_same_answer(self, seeded: SeededSource) -> None:
        first, second = (self._recall(seeded, seeded.namespace) for _ in range(2))

        assert [item.id for item in first.items] == [item.id for item in second.items]
        assert len({item.id for item in first.items}) == len(first.items)

    def test_a_limit_of_one_returns_the_first_record(self, seeded: SeededSource) -> None:
        everything = self._recall(seeded, seeded.namespace)
        one = self._recall(seeded, seeded.namespace, limit=1)

        assert len(one.items) == 1
        assert one.items[0].text in _texts(everything)

    def test_every_declared_mode_is_served(self, seeded: SeededSource) -> None:
        for mode in seeded.source.capabilities.modes:
            result = self._recall(seeded, seeded.namespace, mode=mode)

            assert result.sources[0].retrieval_mode == mode

    def test_an_undeclared_mode_is_reported_as_unsupported(self, seeded: SeededSource) -> None:
        undeclared = set(RETRIEVAL_MODES) - set(seeded.source.capabilities.modes)

        for mode in sorted(undeclared):
            report = self._ask(seeded, seeded.namespace, mode=mode).sources[0]

            assert report.error is not None
            assert (report.status, report.error.code) == ("error", "source_unsupported")

    def test_a_filter_is_refused_exactly_where_it_is_not_declared(
        self, seeded: SeededSource
    ) -> None:
        result = self._federation(seeded).recall(
            seeded.query, namespace=seeded.namespace, filter={"topic": "tea"}
        )

        error = result.sources[0].error
        refused = error is not None and error.code == "source_unsupported"
        assert refused is not seeded.source.capabilities.filters

    def test_the_result_survives_the_wire(self, seeded: SeededSource) -> None:
        result = self._recall(seeded, seeded.namespace)

        assert RecallResult.model_validate(result.to_wire()) == result

    def _federation(self, seeded: SeededSource) -> MemoryFederation:
        return MemoryFederation(
            [seeded.source], timeout=self.timeout, max_results_per_source=MAX_RESULTS_PER_SOURCE
        )

    def _ask(
        self,
        seeded: SeededSource,
        namespace: Namespace,
        *,
        limit: int = MAX_RESULTS_PER_SOURCE,
        mode: RetrievalMode | None = None,
    ) -> RecallResult:
        return self._federation(seeded).recall(
            seeded.query, namespace=namespace, limit=limit, mode=mode
        )

    def _recall(
        self,
        seeded: SeededSource,
        namespace: Namespace,
        *,
        limit: int = MAX_RESULTS_PER_SOURCE,
        mode: RetrievalMode | None = None,
    ) -> RecallResult:
        result = self._ask(seeded, namespace, limit=limit, mode=mode)
        assert result.status == "ok", result.sources
        return result


def _texts(result: RecallResult) -> frozenset[str]:
    return frozenset(item.text for item in result.items)
