"""Ordinal reciprocal-rank fusion of checked answers: pure, no clock, same input same result.

Reciprocal-rank fusion with a rank constant of 60 is from Cormack, Clarke and Büttcher,
"Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods" (SIGIR 2009).
Only ranks are used, because the scores of two sources share no scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from praxa_langgraph.bounds.matches import MatchOrigin, to_match
from praxa_langgraph.bounds.records import RankedRecord
from praxa_langgraph.models import RANK_CONSTANT, ItemRanking, RecallItem

_UNRESERVED = "-_.!~*'()"
"""What `encodeURIComponent` leaves as it is, besides letters and digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedAnswer:
    """The records one source contributes, best first, and what its matches have in common."""

    origin: MatchOrigin
    records: Sequence[RankedRecord]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Fusion:
    """The fused items, best first, and how many records were grouped away before the limit."""

    items: tuple[RecallItem, ...]
    collapsed_count: int


class _Group:
    __slots__ = ("last_source", "members", "score", "sources")

    def __init__(self) -> None:
        self.score = 0.0
        self.sources = 0
        self.last_source = -1
        self.members: list[tuple[int, RankedRecord]] = []


def fuse(answers: Iterable[RankedAnswer], *, limit: int) -> Fusion:
    """Fuse the answers of several sources.

    The score of an item is the sum over its sources, in the order given, of
    `weight / (60 + best rank in that source)`. Items stand by score, highest first, then by
    kind and normalised text in code-point order; never by arrival. Matches are built for the
    returned items alone.

    Args:
        answers: One per source, in configured order.
        limit: Items returned at most.
    """
    ordered = tuple(answers)
    groups = _group(ordered)
    ranked = sorted(groups.items(), key=lambda entry: (-entry[1].score, entry[0]))
    items = tuple(
        _to_item(group, rank, ordered) for rank, (_, group) in enumerate(ranked[:limit], start=1)
    )
    entered = sum(len(answer.records) for answer in ordered)
    return Fusion(items=items, collapsed_count=entered - len(groups))


def _group(answers: tuple[RankedAnswer, ...]) -> dict[str, _Group]:
    groups: dict[str, _Group] = {}
    for index, answer in enumerate(answers):
        weight = answer.weight
        for record in answer.records:
            group = groups.get(record.key)
            if group is None:
                group = groups[record.key] = _Group()
            group.members.append((index, record))
            # Ranks rise within a source, so its first record in a group has its best rank.
            if group.last_source != index:
                group.last_source = index
                group.sources += 1
                group.score += weight / (RANK_CONSTANT + record.rank)
    return groups


def _to_item(group: _Group, rank: int, answers: tuple[RankedAnswer, ...]) -> RecallItem:
    index, first = group.members[0]
    return RecallItem(
        id=f"{_encoded(answers[index].origin.source_id)}:{_encoded(first.record_id)}",
        kind=first.kind,
        text=first.text,
        ranking=ItemRanking(score=group.score, rank=rank, contributing_sources=group.sources),
        matches=tuple(to_match(record, answers[i].origin) for i, record in group.members),
    )


def _encoded(part: str) -> str:
    return quote(part, safe=_UNRESERVED)
