"""What reaches an OpenTelemetry exporter through LangSmith's own bridge, offline."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("opentelemetry_program.py")
BRIDGE = {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_TRACING_MODE": "otel",
    "LANGSMITH_API_KEY": "unused",
    "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
}


@pytest.fixture(scope="module")
def spans():
    done = subprocess.run(  # noqa: S603 # our own program
        [sys.executable, str(PROGRAM)],
        env={**os.environ, **BRIDGE},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def named(span):
    """The attributes LangSmith made of a run's metadata, in OpenTelemetry's names."""
    prefix = "langsmith.metadata."
    found = {n.removeprefix(prefix): v for n, v in span.items() if n.startswith(prefix)}
    return {n: v for n, v in found.items() if n.startswith(("gen_ai.", "error."))}


@pytest.mark.parametrize("run", ["crm", "recall:crm"])
def test_a_source_is_a_memory_search_with_its_record_count(spans, run):
    assert named(spans[run]) == {
        "gen_ai.operation.name": "search_memory",
        "gen_ai.provider.name": "custom",
        "gen_ai.memory.record.count": "2",
    }


@pytest.mark.parametrize("run", ["down", "recall:down"])
def test_a_source_that_failed_says_how(spans, run):
    assert named(spans[run])["error.type"] == "source_unavailable"


def test_no_span_holds_a_hit_that_was_not_selected(spans):
    assert "not-selected" not in json.dumps(spans)
    assert '\\"text\\":\\"selected\\"' in json.dumps(spans["memory_recall"])
