"""Which records of an answer count, and why others do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from praxa_langgraph.bounds.records import check_answer, check_text
from praxa_langgraph.models import RECORD_KINDS, MemoryRecord, Provenance, Rejection

WHOLE = {"origin": "observed", "confidence": 1, "captured_at": "2026-01-01T00:00:00Z"}


def record(record_id="1", kind="fact", text="tea", **fields):
    return MemoryRecord(record_id=record_id, kind=kind, text=text, **fields)


def checked(*given_records, kinds=None, max_results=100):
    return check_answer(given_records, kinds=kinds, max_results=max_results)


def rejection(given_record):
    answer = checked(given_record)
    assert answer.records == []
    return answer.rejections[0]


class TestRecordId:
    @pytest.mark.parametrize(
        "record_id", ["1", "x" * 512, "a b", "日本", "\u3000padded\ufeff", "a/b:c"]
    )
    def test_it_has_1_to_512_characters_after_trimming(self, record_id):
        assert checked(record(record_id)).ranks == [1]

    @pytest.mark.parametrize(
        ("record_id", "message"),
        [
            ("", "record_id has 0 characters, not 1 to 512"),
            (" \ufeff", "record_id has 0 characters, not 1 to 512"),
            ("x" * 513, "record_id has 513 characters, not 1 to 512"),
            ("a\nb", "record_id holds a control character or a lone surrogate"),
            ("a\x85b", "record_id holds a control character or a lone surrogate"),
            ("a\ud800", "record_id holds a control character or a lone surrogate"),
            (7, "record_id is not a string but int"),
            (None, "record_id is not a string but NoneType"),
        ],
    )
    def test_another_costs_the_record(self, record_id, message):
        found = rejection(record(record_id))

        assert (found.code, found.message) == ("invalid_record", message)

    def test_padded_ids_are_the_same_id(self):
        assert checked(record("1"), record(" 1 ")).duplicate_count == 1


class TestKindAndText:
    @pytest.mark.parametrize("kind", RECORD_KINDS)
    def test_every_kind_of_the_vocabulary_counts(self, kind):
        assert checked(record(kind=kind)).keys == [f"{kind}\0tea"]

    @pytest.mark.parametrize(
        ("kind", "code"),
        [("note", "invalid_record"), (None, "invalid_record"), ("checkpoint", "checkpoint_state")],
    )
    def test_another_costs_the_record(self, kind, code):
        assert rejection(record(kind=kind)).code == code

    @pytest.mark.parametrize("text", [None, 7, "", " \u2029", b"tea"])
    def test_a_text_that_is_empty_or_none_costs_the_record(self, text):
        assert rejection(record(text=text)).message.startswith("text is ")

    def test_a_text_is_cut_at_65_536_characters_and_noted(self):
        assert check_text("x" * 65_536) == ("x" * 65_536, None)
        cut, note = check_text("x" * 65_537)
        assert len(cut) == 65_536
        assert note == "cut at 65,536 of 65,537 characters"

    def test_texts_equal_up_to_the_cut_are_one_item(self):
        answer = checked(record("1", text="x" * 65_536 + "a"), record("2", text="x" * 65_536 + "b"))

        assert len(set(answer.keys)) == 1

    def test_a_lone_surrogate_becomes_the_replacement_character(self):
        assert checked(record(text="tea\ud800")).keys == ["fact\0tea\ufffd"]


class TestProvenance:
    @pytest.mark.parametrize("whole", [WHOLE, Provenance(**WHOLE), {**WHOLE, "confidence": 0.0}])
    def test_a_whole_one_counts(self, whole):
        assert checked(record(provenance=whole)).ranks == [1]

    @pytest.mark.parametrize(
        ("spoiled", "message"),
        [
            ({"origin": None}, "provenance.origin None is not one of explicit, observed"),
            ({"origin": "guessed"}, "provenance.origin 'guessed' is not one of"),
            ({"confidence": None}, "provenance.confidence is not a number"),
            ({"confidence": True}, "provenance.confidence is not a number"),
            ({"confidence": 1.01}, "provenance.confidence 1.01 is not between 0 and 1"),
            ({"confidence": float("nan")}, "provenance.confidence nan is not between 0 and 1"),
            ({"captured_at": None}, "provenance.captured_at: not a timestamp but NoneType"),
            ({"captured_at": "2026-01-01"}, "provenance.captured_at: not an RFC 3339 timestamp"),
            ({"captured_at": "2026-01-01T00:00"}, "provenance.captured_at: no offset from UTC"),
        ],
    )
    def test_a_partial_one_costs_the_record_and_no_default_is_invented(self, spoiled, message):
        assert rejection(record(provenance={**WHOLE, **spoiled})).message.startswith(message)

    def test_one_that_is_no_object_costs_the_record(self):
        assert rejection(record(provenance="crm")).message == "provenance is not an object but str"


class TestMappings:
    def test_a_mapping_of_a_records_fields_is_a_record(self):
        assert checked({"record_id": "1", "kind": "fact", "text": "tea"}).ranks == [1]

    @pytest.mark.parametrize(
        ("given_record", "message"),
        [
            ({"record_id": "1", "kind": "fact"}, "text is missing"),
            ({"id": "1"}, "unknown field 'id'; a record has created_at, kind"),
            (7, "neither a MemoryRecord nor a mapping of its fields but int"),
            (None, "neither a MemoryRecord nor a mapping of its fields but NoneType"),
        ],
    )
    def test_another_shape_costs_only_itself(self, given_record, message):
        assert rejection(given_record).message.startswith(message)


class TestCounting:
    def test_a_dropped_record_leaves_its_rank_empty(self):
        foreign = Rejection(record_id="x", code="foreign_scope", message="user_id differs")

        answer = checked(
            record("1"),
            record("1"),
            foreign,
            record(""),
            record("2", "message"),
            record("3"),
            kinds=frozenset({"fact"}),
        )

        assert answer.ranks == [1, 6]
        assert (answer.duplicate_count, answer.rejected_count, answer.filtered_count) == (1, 2, 1)
        assert answer.foreign_count == 1

    def test_what_is_beyond_the_maximum_is_cut(self):
        answer = checked(*(record(str(i)) for i in range(6)), max_results=5)

        assert (len(answer.records), answer.truncated) == (5, True)

    def test_sixteen_rejections_are_shown_and_all_are_counted(self):
        answer = checked(*(record("") for _ in range(20)))

        assert (len(answer.rejections), answer.rejected_count) == (16, 20)

    def test_a_rejection_is_bounded_whoever_wrote_it(self):
        long = Rejection(record_id="x\ny" * 600, code="foreign_scope", message="a\nb" * 600)

        [found] = checked(long).rejections

        assert len(found.message) <= 300
        assert len(found.record_id) <= 512
        assert "\n" not in found.message + found.record_id

    @pytest.mark.parametrize(
        "state",
        [
            {"channel_values": {}, "channel_versions": {}},
            {"channel_values": {}, "versions_seen": {}},
            {"checkpoint": {}, "parent_config": None},
            {"configurable": {"checkpoint_id": "1"}},
            {"values": {}, "next": (), "tasks": ()},
        ],
    )
    def test_metadata_that_is_execution_state_costs_the_record(self, state):
        assert rejection(record(metadata=state)).code == "checkpoint_state"

    @pytest.mark.parametrize("metadata", [{"checkpoint": "passport control"}, {"next": "week"}, 7])
    def test_words_alone_are_no_execution_state(self, metadata):
        assert checked(record(metadata=metadata)).ranks == [1]

    @given(
        st.lists(
            st.builds(
                record,
                record_id=st.sampled_from(["1", "2", "", "\n"]),
                kind=st.sampled_from(["fact", "message", "nonsense"]),
                text=st.sampled_from(["tea", " ", "coffee"]),
            ),
            max_size=30,
        ),
        st.integers(1, 30),
    )
    def test_every_record_that_was_taken_is_accounted_for(self, records, maximum):
        answer = check_answer(records, kinds=frozenset({"fact"}), max_results=maximum)

        taken = len(answer.records) + answer.duplicate_count + answer.rejected_count
        assert taken + answer.filtered_count == min(len(records), maximum)
        assert answer.truncated is (len(records) > maximum)
