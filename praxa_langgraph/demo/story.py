"""What a coffee-roastery's support agent has come to know about one customer, and where."""

from __future__ import annotations

from datetime import UTC, datetime

from praxa_langgraph.models import Namespace

INES = Namespace(tenant_id="maple-roastery", subject_id="ines-duarte")
NEIGHBOUR = Namespace(tenant_id="maple-roastery", subject_id="tom-becker")

QUESTION = "Ines is reordering: where does she live, and what is she allergic to?"

FACTS = (
    "Ines lives in Lisbon",
    "Ines is allergic to hazelnut",
    "Ines drinks oat-milk flat whites",
    "Ines would rather be written to than called",
)
"""What a fact extractor wrote into Mem0, before she moved."""

NOTES = {
    "address": {"text": "Ines lives in Porto", "author": "support", "ticket": "MR-2291"},
    "allergy": {"text": "Ines is allergic to hazelnut", "author": "support", "ticket": "MR-1804"},
    "courier": {"text": "The courier to Porto needs a phone number for orders over 5 kg"},
}
"""What colleagues put into the LangGraph store; the allergy is the same statement as Mem0's."""

CONVERSATION = (
    ("user", "Hi, I moved to Porto in March. Please don't ship to Lisbon any more!"),
    ("assistant", "Thanks Ines, I have noted Porto. Is there anything else about your orders?"),
    (
        "user",
        "The last bag of Sidamo was perfect. I'd like to reorder it, no hazelnut syrup please.",
    ),
)
"""The last conversation, as an OpenAI Agents session keeps it."""

NEIGHBOURS_FACT = "Tom lives in Hamburg and orders decaf"
"""Somebody else's memory in the same stores; it must never show up."""

MOVED_TO_LISBON = datetime(2022, 5, 1, tzinfo=UTC)
MOVED_TO_PORTO = datetime(2026, 3, 14, tzinfo=UTC)

CONTRADICTION = ("Lisbon", "Porto")
"""Two towns in which she cannot both live; the demo points at what each source says."""
