"""The real Zep clients of three generations, and a Zep on loopback that speaks to all of them."""

import importlib
import sys
import uuid
import warnings
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from praxa_langgraph import MemoryFederation, Namespace, ZepSource
from servers.loopback import Reply, serve

ROOT = Path(__file__).parents[3]
VERSIONS = {"4": None, "3": "3.30.0", "2": "2.22.1"}
ADA = Namespace(tenant_id="acme", subject_id="ada")
BOB = Namespace(tenant_id="globex", subject_id="bob")
FACTS = {
    ("acme", "ada"): ("Ada lives in Berlin", "Ada lives in Lisbon"),
    ("acme", "bob"): ("Bob lives in Paris", "Bob drinks tea"),
    ("globex", "ada"): ("The other Ada sells tea", "The other Ada lives in Rome"),
    ("globex", "bob"): ("The other Bob sleeps", "The other Bob lives in Oslo"),
}
KEY = "z_not-a-real-key-0123456789"


def uuid_of(tenant, subject):
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{tenant}/{subject}"))


def id_of(tenant, subject):
    return f"{tenant}:{subject}"


def identity_of(version):
    if version == "4":
        return lambda who: {"user_uuid": uuid_of(who.tenant_id, who.subject_id)}
    return lambda who: {"user_id": id_of(who.tenant_id, who.subject_id)}


def edge(number, fact, owner, **fields):
    return {
        "uuid": f"e-{number}",
        "name": "LIVES_IN",
        "fact": fact,
        "created_at": "2026-01-05T09:00:00.123456789Z",
        "valid_at": "2026-01-01T00:00:00Z",
        "source_node_uuid": "n-1",
        "target_node_uuid": "n-2",
        "score": 0.5,
        "attributes": {"certain": True},
        "episode_uuids": ["ep-2"],
        "episodes": ["ep-2"],
        "user_uuid": owner,
        **fields,
    }


class Zep:
    """What the loopback Zep holds, and a reply that it gives to everything once it is set."""

    def __init__(self):
        self.reply = None
        self.scopes = {}

    def __call__(self, request):
        if self.reply is not None:
            return self.reply
        *_, graphs, owner, _, scope = ["", "", *request.path.split("/")]
        if graphs == "graphs":
            return Reply(body={"items": self._found(scope.replace("-", "_"), owner)})
        scope = request.body["scope"]
        owner = request.body.get("user_id") or request.body.get("graph_id")
        return Reply(body={scope: self._found(scope, owner or request.body.get("group_id"))})

    def _found(self, scope, owner):
        if scope in self.scopes:
            return self.scopes[scope]
        return [
            edge(i, fact, uuid_of(tenant, subject))
            for (tenant, subject), facts in FACTS.items()
            if owner in {uuid_of(tenant, subject), id_of(tenant, subject)}
            for i, fact in enumerate(facts)
        ]


def load(version):
    """Import one generation of the client, and leave the installed one as it was."""
    folder = VERSIONS[version]
    if folder is None:
        return importlib.import_module("zep_cloud.client")
    path = ROOT / ".zep" / folder
    if not path.is_dir():
        pytest.fail(f"zep-cloud {folder} is missing; `make .zep/{folder}` installs it")
    others = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_zep(name)}
    sys.path.insert(0, str(path))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # older clients are written for an older pydantic
            return importlib.import_module("zep_cloud.client")
    finally:
        sys.path.remove(str(path))
        for name in [name for name in sys.modules if _is_zep(name)]:
            del sys.modules[name]
        sys.modules.update(others)


def _is_zep(module):
    return module.partition(".")[0] == "zep_cloud"


@pytest.fixture(scope="session")
def clients():
    """The client module of each generation."""
    return {version: load(version) for version in VERSIONS}


@pytest.fixture
def zep():
    """A Zep on loopback; `zep.holds` is what it answers from, `zep.requests` what it was asked."""
    holds = Zep()
    with serve(holds) as server:
        server.holds = holds
        yield server


def prefix(version):
    return "/api/v4" if version == "4" else "/api/v2"


@contextmanager
def opened(clients, version, zep):
    with httpx.Client(timeout=5) as http:
        yield clients[version].Zep(
            api_key=KEY, base_url=zep.url + prefix(version), httpx_client=http
        )


async def arecall(clients, version, zep, *, source=(), namespace=ADA, query="lives", **options):
    async with httpx.AsyncClient(timeout=5) as http:
        client = clients[version].AsyncZep(
            api_key=KEY, base_url=zep.url + prefix(version), httpx_client=http
        )
        federation = federated(client, version, source)
        return await federation.arecall(query, namespace=namespace, **options)


def recall(clients, version, zep, *, source=(), namespace=ADA, query="lives", **options):
    with opened(clients, version, zep) as client:
        federation = federated(client, version, source)
        return federation.recall(query, namespace=namespace, **options)


def federated(client, version, source):
    options = {"identity": identity_of(version), **dict(source)}
    return MemoryFederation([ZepSource(client, **options)])
