"""`python -m praxa_langgraph.demo` tells its story from real providers."""

import json
import subprocess
import sys

import pytest

from praxa_langgraph import RecallResult


def demo(*arguments):
    return subprocess.run(  # noqa: S603 # our own program
        [sys.executable, "-m", "praxa_langgraph.demo", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture(scope="module")
def result():
    done = demo("--json")
    assert done.returncode == 0, done.stderr
    return RecallResult.model_validate(json.loads(done.stdout))


def test_every_real_provider_answers_and_the_one_that_is_down_is_named(result):
    statuses = {report.source_id: report.status for report in result.sources}

    assert statuses == {
        "mem0": "ok",
        "notes": "ok",
        "session": "ok",
        "graph": "ok",
        "crm": "unavailable",
    }
    assert result.status == "partial"


def test_a_statement_two_sources_make_is_one_item_with_both(result):
    allergy = next(item for item in result.items if item.text == "Ines is allergic to hazelnut")

    assert [match.source_id for match in allergy.matches] == ["mem0", "notes"]


def test_the_contradiction_is_kept_and_the_graph_knows_which_side_has_ended(result):
    states = {
        item.text: match.validity.state
        for item in result.items
        for match in item.matches
        if match.validity
    }

    assert states == {"Ines lives in Lisbon": "past", "Ines lives in Porto": "current"}


def test_nothing_of_another_customer_shows_up(result):
    assert "Tom" not in json.dumps(result.to_wire())


def test_it_is_printed_for_a_person_and_answers_another_question():
    done = demo("what does she drink?")

    assert done.returncode == 0, done.stderr
    assert "“what does she drink?”" in done.stdout
    assert "partial: 4 of 5 sources answered" in done.stdout
    assert done.stderr == ""
