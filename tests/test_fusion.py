"""Ordinal reciprocal-rank fusion: exact scores, exact order, nothing lost."""

from datetime import UTC, datetime
from fractions import Fraction
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from praxa_langgraph.bounds.matches import MatchOrigin
from praxa_langgraph.bounds.records import check_answer
from praxa_langgraph.fusion import RankedAnswer, fuse
from praxa_langgraph.models import MemoryRecord, Namespace

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def answer_of(source_id, texts, weight=1.0, kind="fact"):
    records = [
        text
        if isinstance(text, MemoryRecord)
        else MemoryRecord(record_id=str(i), kind=kind, text=text)
        for i, text in enumerate(texts)
    ]
    origin = MatchOrigin(
        source_id=source_id,
        provider="custom",
        retrieval_mode="semantic",
        namespace=Namespace(tenant_id="acme", subject_id="ada"),
        retrieved_at=NOW,
        as_of=NOW,
    )
    checked = check_answer(records, kinds=None, max_results=100)
    return RankedAnswer(origin=origin, answer=checked, weight=weight)


def fused(*answers, limit=500):
    return fuse([answer_of(f"s{i}", a) for i, a in enumerate(answers)], limit=limit)


texts = st.lists(
    st.sampled_from(["tea", " Tea", "coffee", "ﬁne", "fine", "x  y", "x\u00a0y"]), max_size=8
)


class TestScore:
    @given(
        st.lists(texts, min_size=1, max_size=6),
        st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=6, max_size=6),
    )
    def test_it_is_the_sum_of_weight_over_sixty_plus_best_rank(self, lists, weights):
        answers = [answer_of(f"s{i}", t, weights[i]) for i, t in enumerate(lists)]

        for item in fuse(answers, limit=500).items:
            best = {}
            for match in item.matches:
                best[match.source_id] = min(best.get(match.source_id, 999), match.source_rank)
            exact = sum(Fraction(weights[int(s[1:])]) / (60 + rank) for s, rank in best.items())
            assert item.ranking.score == pytest.approx(float(exact), rel=1e-15)
            assert item.ranking.contributing_sources == len(best)

    def test_only_the_best_rank_of_a_source_counts(self):
        """langchain#37046: duplicates inside one retriever inflate its score elsewhere."""
        [item] = fused(["tea", "Tea ".strip().lower(), " tea"]).items

        assert item.ranking.score == 1 / 61
        assert [match.source_rank for match in item.matches] == [1, 2, 3]

    def test_a_source_with_more_weight_counts_more(self):
        light, heavy = answer_of("a", ["tea"]), answer_of("b", ["coffee"], weight=2.0)

        assert [item.text for item in fuse([light, heavy], limit=10).items] == ["coffee", "tea"]


class TestOrder:
    def test_ties_stand_by_kind_and_text_in_code_point_order(self):
        """Code points, not UTF-16 units: an astral character stands after U+FFFD."""
        items = fused(["\U0001f600"], ["\ufffd"], ["b"], ["a"]).items

        assert [item.text for item in items] == ["a", "b", "\ufffd", "\U0001f600"]

    @given(st.lists(texts, min_size=1, max_size=5))
    def test_ranks_are_consecutive_and_scores_fall(self, lists):
        items = fused(*lists).items

        assert [item.ranking.rank for item in items] == list(range(1, len(items) + 1))
        scores = [item.ranking.score for item in items]
        assert scores == sorted(scores, reverse=True)

    @given(st.lists(texts, min_size=1, max_size=5), st.integers(1, 10))
    def test_a_limit_returns_the_first_items_of_all(self, lists, limit):
        assert fused(*lists, limit=limit).items == fused(*lists).items[:limit]

    @given(st.lists(texts, min_size=1, max_size=5))
    def test_the_same_input_gives_the_same_result(self, lists):
        assert fused(*lists) == fused(*lists)


class TestGrouping:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("tea", "  tea\u3000"),
            ("green tea", "green \u2028\t tea"),
            ("ﬁne", "fine"),
            ("Café", "Cafe\u0301"),
            ("Ⅳ", "IV"),
        ],
    )
    def test_texts_equal_after_nfkc_and_white_space_are_one_item(self, one, other):
        [item] = fused([one], [other]).items

        assert [match.source_id for match in item.matches] == ["s0", "s1"]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("tea", "Tea"),
            ("tea", "tea."),
            ("Straße", "STRASSE"),
            ("a\u200bb", "ab"),
            ("a\x1cb", "a b"),
        ],
    )
    def test_similar_is_not_equal(self, one, other):
        assert len(fused([one], [other]).items) == 2

    def test_equal_texts_of_different_kinds_stay_two_items(self):
        answers = [answer_of("a", ["tea"]), answer_of("b", ["tea"], kind="message")]

        assert [item.kind for item in fuse(answers, limit=10).items] == ["fact", "message"]

    def test_the_text_shown_is_that_of_the_first_match(self):
        assert fused(["ﬁne "], ["fine"]).items[0].text == "ﬁne"

    @given(st.lists(texts, min_size=1, max_size=5))
    def test_every_record_is_in_an_item_and_counted(self, lists):
        fusion = fused(*lists)

        matches = sum(len(item.matches) for item in fusion.items)
        assert matches == sum(map(len, lists))
        assert fusion.collapsed_count == matches - len(fusion.items)


class TestIds:
    def test_parts_are_encoded_as_encode_uri_component_does(self):
        record = MemoryRecord(record_id="a/b é!*'()~", kind="fact", text="tea")

        [item] = fuse([answer_of("store:1", [record])], limit=1).items

        assert item.id == "store%3A1:a%2Fb%20%C3%A9!*'()~"

    @given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20))
    def test_an_id_can_be_read_back(self, record_id):
        checked = answer_of("s", [MemoryRecord(record_id=record_id, kind="fact", text="tea")])

        for item in fuse([checked], limit=1).items:
            source_id, _, own = item.id.partition(":")
            assert (source_id, unquote(own)) == ("s", item.matches[0].source_record_id)
