"""The result of the demo for a person to read."""

from __future__ import annotations

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from praxa_langgraph.demo import story
from praxa_langgraph.models import Match, RecallItem, RecallResult

_STATUS_STYLE = {"ok": "green", "timed_out": "yellow", "unavailable": "yellow", "error": "red"}
_SAID_BY_ROLE = {"user": "the customer", "assistant": "the agent"}


def print_result(result: RecallResult, console: Console) -> None:
    """Print the fused items, who said what, the contradiction, and how each source answered."""
    console.print()
    console.print(Text(f"“{result.query}”", style="bold"))
    console.print(
        Text(
            f"memory of {result.namespace.subject_id} at {result.namespace.tenant_id}", style="dim"
        )
    )
    console.print()
    console.print(_items(result))
    if (panel := _contradiction(result)) is not None:
        console.print(panel)
    console.print(_sources(result))
    for report in result.sources:
        if report.error is not None:
            console.print(Text(f"{report.source_id}: {report.error.message}", style="yellow"))
    console.print(_verdict(result))


def _items(result: RecallResult) -> Table:
    table = Table(title="What is remembered, fused", title_justify="left", expand=True)
    table.add_column("#", justify="right", style="dim")
    table.add_column("memory", ratio=5)
    table.add_column("kind", style="cyan")
    table.add_column("who said it (rank there)", ratio=3)
    table.add_column("score", justify="right", style="dim")
    for item in result.items:
        table.add_row(
            str(item.ranking.rank),
            _remembered(item),
            item.kind,
            Text("\n".join(_said_by(match) for match in item.matches)),
            f"{item.ranking.score:.4f}",
        )
    return table


def _remembered(item: RecallItem) -> Text:
    """The text, with the time in which it held where a source knows it."""
    text = Text(item.text)
    for window in (match.validity for match in item.matches if match.validity):
        since = f"{window.valid_at:%B %Y}" if window.valid_at else "?"
        until = f" until {window.invalid_at:%B %Y}" if window.invalid_at else ""
        text.append(f"\n{window.state}: since {since}{until}", style="dim")
    return text


def _said_by(match: Match) -> str:
    metadata = match.metadata or {}
    speaker = _SAID_BY_ROLE.get(str(metadata.get("role")))
    said = f"{match.source_id} ({match.source_rank})"
    return f"{said}, {speaker}" if speaker else said


def _contradiction(result: RecallResult) -> Panel | None:
    """Both sides of the one thing the story's sources disagree about."""
    sides = [
        (town, [item for item in result.items if item.text == f"Ines lives in {town}"])
        for town in story.CONTRADICTION
    ]
    if not all(items for _, items in sides):
        return None
    lines = [_side(item) for _, items in sides for item in items]
    lines.append(Text("Both are kept. Which one is true is not for a federation to say.", "dim"))
    return Panel(Group(*lines), title="The sources disagree", title_align="left", style="yellow")


def _side(item: RecallItem) -> Text:
    sources = ", ".join(dict.fromkeys(match.source_id for match in item.matches))
    states = {m.validity.state for m in item.matches if m.validity and m.validity.state}
    held = f" ({', '.join(sorted(states))})" if states else ""
    return Text(f"“{item.text}”{held}: {sources}")


def _sources(result: RecallResult) -> Table:
    table = Table(title="How each source answered", title_justify="left", expand=True)
    table.add_column("source")
    table.add_column("provider", style="cyan")
    table.add_column("mode", style="dim")
    table.add_column("status")
    table.add_column("records", justify="right")
    table.add_column("time", justify="right")
    for report in result.sources:
        table.add_row(
            report.source_id,
            report.provider,
            report.retrieval_mode,
            Text(report.status, style=_STATUS_STYLE[report.status]),
            str(report.item_count),
            f"{report.duration_ms:.1f} ms",
        )
    return table


def _verdict(result: RecallResult) -> Text:
    answered = sum(report.status == "ok" for report in result.sources)
    grouped = result.deduplication.collapsed_count
    return Text(
        f"{result.status}: {answered} of {len(result.sources)} sources answered; "
        f"{grouped} exact duplicate{'s' if grouped != 1 else ''} grouped, every source kept.",
        style="bold",
    )
