"""The README's code runs as written, and prints what the README says it prints."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def programs():
    """Each Python block with the output shown right after it, in order."""
    blocks = BLOCK.findall(README.read_text("utf-8"))
    for (language, code), (next_language, shown) in zip(
        blocks, [*blocks[1:], ("", "")], strict=True
    ):
        if language == "python":
            yield code, shown if next_language == "" else None


def test_every_program_runs_and_prints_what_is_shown(capsys):
    """The blocks build on each other, as a reader runs them."""
    namespace = {}
    for code, shown in programs():
        exec(compile(code, str(README), "exec"), namespace)  # noqa: S102 # the README's own code
        printed = capsys.readouterr().out
        if shown is not None:
            assert printed == shown


def test_the_quickstart_is_short_enough_to_read_at_once():
    quickstart, _ = next(programs())

    assert len([line for line in quickstart.splitlines() if line.strip()]) <= 15


@pytest.mark.parametrize("command", ["demo", "test", "check", "bench"])
def test_every_command_it_names_is_a_target(command):
    makefile = README.with_name("Makefile").read_text("utf-8")

    assert f"make {command}" in README.read_text("utf-8")
    assert re.search(rf"^{command}:", makefile, re.MULTILINE)
