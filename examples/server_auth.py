"""Who is asking: a table of keys stands in for the identity provider of a real deployment."""

from __future__ import annotations

from typing import cast

from langgraph_sdk import Auth

auth = Auth()

USERS = {
    "key-of-ada": {"identity": "ada", "tenant_id": "acme"},
    "key-of-bob": {"identity": "bob", "tenant_id": "acme"},
}


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]) -> Auth.types.MinimalUserDict:
    """Return the user a key belongs to."""
    key = headers.get(b"x-api-key", b"").decode()
    user = USERS.get(key)
    if user is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail="unknown key")
    # `tenant_id` is a field of our own; the server keeps whatever a user carries.
    return cast("Auth.types.MinimalUserDict", {**user, "is_authenticated": True})
