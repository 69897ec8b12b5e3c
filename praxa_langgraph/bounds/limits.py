"""Every limit of the package, in one table, and the error of a value outside its bounds."""

from __future__ import annotations

import re

MAX_SOURCES = 32
MAX_CONCURRENCY = 32
SOURCE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")

DEFAULT_LIMIT = 10
MAX_LIMIT = 500
DEFAULT_RESULTS_PER_SOURCE = 50
MAX_RESULTS_PER_SOURCE = 100

DEFAULT_TIMEOUT = 5.0
"""Seconds."""
MAX_TIMEOUT = 60.0
"""Seconds."""
MAX_STUCK_CALLS = 4
"""Calls of one source that may outlive their deadline before it is refused new ones."""

MAX_IDENTITY_CHARS = 256
MAX_SCOPE_SEGMENTS = 16
MAX_QUERY_CHARS = 32_768
MAX_RECORD_ID_CHARS = 512
MAX_TEXT_CHARS = 65_536

MAX_METADATA_DEPTH = 12
MAX_METADATA_ENTRIES = 256
MAX_METADATA_KEY_CHARS = 256
MAX_METADATA_CHARS = 32_768

MAX_LINEAGE_IDS = 256
MAX_URL_CHARS = 2_048
MAX_ERROR_CHARS = 300
MAX_REJECTIONS_SHOWN = 16


class FieldError(ValueError):
    """A value is outside its bounds; the message is the reason, without the value's content."""
