"""Ordinal reciprocal-rank fusion of checked answers: pure, no clock, same input same result.

Reciprocal-rank fusion with a rank constant of 60 is from Cormack, Clarke and Büttcher,
"Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods" (SIGIR 2009).
Only ranks are used, because the scores of two sources share no scale.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote

from praxa_langgraph.bounds.matches import MatchOrigin, to_match
from praxa_langgraph.bounds.records import CheckedAnswer, check_text
from praxa_langgraph.models import RANK_CONSTANT, ItemRanking, MemoryRecord, RecallItem

_UNRESERVED = "-_.!~*'()"
"""What `encodeURIComponent` leaves as it is, besides letters and digits."""

_Member: TypeAlias = tuple[int, int, MemoryRecord]
"""A source's place in the federation, the rank in that source, and the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedAnswer:
    """The records one source contributes, best first, and what its matches have in common."""

    origin: MatchOrigin
    answer: CheckedAnswer
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Fusion:
    """The fused items, best first, and how many records were grouped away before the limit."""

    items: tuple[RecallItem, ...]
    collapsed_count: int


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
    scores = _score(ordered)
    best = _best(scores, limit)
    members = _members(ordered, best)
    items = tuple(
        _to_item(members[key], scores[key], rank, ordered) for rank, key in enumerate(best, start=1)
    )
    entered = sum(len(answer.answer.keys) for answer in ordered)
    return Fusion(items=items, collapsed_count=entered - len(scores))


def _score(answers: tuple[RankedAnswer, ...]) -> dict[str, float]:
    """Sum up every group. Only numbers are kept, so that thousands of groups cost little."""
    scores: dict[str, float] = {}
    last_source: dict[str, int] = {}
    for index, ranked in enumerate(answers):
        weight = ranked.weight
        for key, rank in zip(ranked.answer.keys, ranked.answer.ranks, strict=True):
            # Ranks rise within a source, so its first record in a group has its best rank.
            if last_source.get(key) != index:
                last_source[key] = index
                scores[key] = scores.get(key, 0.0) + weight / (RANK_CONSTANT + rank)
    return scores


def _best(scores: dict[str, float], limit: int) -> list[str]:
    """The keys of the best groups: by score, highest first, then by code point."""
    keys = list(scores)
    if limit < len(keys):
        # Only what reaches the last place can be returned, so only that is put in order.
        last_place = heapq.nlargest(limit, scores.values())[-1]
        keys = [key for key in keys if scores[key] >= last_place]
    keys.sort()
    keys.sort(key=scores.__getitem__, reverse=True)
    return keys[:limit]


def _members(answers: tuple[RankedAnswer, ...], wanted: list[str]) -> dict[str, list[_Member]]:
    """Collect the records of the wanted groups, in configured order and then by rank."""
    members: dict[str, list[_Member]] = {key: [] for key in wanted}
    for index, ranked in enumerate(answers):
        answer = ranked.answer
        for position, key in enumerate(answer.keys):
            if key in members:
                members[key].append((index, answer.ranks[position], answer.records[position]))
    return members


def _to_item(
    members: list[_Member], score: float, rank: int, answers: tuple[RankedAnswer, ...]
) -> RecallItem:
    matches = tuple(to_match(record, place, answers[i].origin) for i, place, record in members)
    first = members[0][2]
    text, _ = check_text(first.text)
    return RecallItem(
        id=f"{_encoded(matches[0].source_id)}:{_encoded(matches[0].source_record_id)}",
        kind=first.kind,
        text=text,
        ranking=ItemRanking(
            score=score, rank=rank, contributing_sources=len({index for index, _, _ in members})
        ),
        matches=matches,
    )


def _encoded(part: str) -> str:
    return quote(part, safe=_UNRESERVED)
