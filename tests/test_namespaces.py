"""The namespace of a run comes whole from one trusted origin."""

from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from praxa_langgraph import Namespace
from praxa_langgraph.namespaces import resolve_namespace, run_context

ADA = {"tenant_id": "acme", "subject_id": "ada"}
BOB = {"tenant_id": "acme", "subject_id": "bob"}


@dataclass
class DataclassContext:
    tenant_id: str | None = None
    subject_id: str | None = None
    theme: str = "dark"


class ModelContext(BaseModel):
    tenant_id: str
    subject_id: str


@pytest.mark.parametrize(
    "context", [ADA, DataclassContext(**ADA), ModelContext(**ADA), {**ADA, "user_id": ""}]
)
def test_a_context_of_any_class_is_read_by_its_parts(context):
    assert resolve_namespace(None, run_context(context, None)) == Namespace(**ADA)


def test_configurable_is_used_when_the_context_has_no_identity():
    run = run_context(DataclassContext(), ADA)

    assert resolve_namespace(None, run) == Namespace(**ADA)


def test_two_origins_that_agree_are_one_identity():
    assert resolve_namespace(None, run_context(ADA, ADA)) == Namespace(**ADA)


@pytest.mark.parametrize(
    ("context", "configurable", "message"),
    [
        (None, None, "no namespace"),
        (None, {"user_id": "ada"}, "no namespace"),
        (ADA, BOB, "disagree"),
        ({"tenant_id": "acme"}, {"subject_id": "ada"}, "context has no subject_id"),
        ({"subject_id": "ada"}, ADA, "context has no tenant_id"),
        ({**ADA, "subject_id": ""}, None, "namespace.subject_id has 0 characters"),
        ({**ADA, "subject_id": "  "}, ADA, "namespace.subject_id has 0 characters"),
        ({**ADA, "subject_id": ["ada"]}, None, "namespace.subject_id must be a string, not list"),
        ({**ADA, "scope": "eu"}, None, "namespace.scope must be a list of segments, not str"),
        (None, {**ADA, "tenant_id": ""}, "configurable: namespace.tenant_id has 0 characters"),
    ],
)
def test_an_identity_that_is_missing_partial_empty_or_contradictory_is_refused(
    context, configurable, message
):
    with pytest.raises(ValueError, match=message):
        resolve_namespace(None, run_context(context, configurable))


def test_a_resolver_sees_the_run_without_thread_and_checkpoint_ids():
    configurable = {
        "langgraph_auth_user_id": "ada",
        "thread_id": "t",
        "checkpoint_id": "c",
        "checkpoint_ns": "n",
        "__pregel_task_id": "p",
    }
    run = run_context("context", configurable, {"query": "tea"})

    assert run.context == "context"
    assert run.configurable == {"langgraph_auth_user_id": "ada"}
    assert run.state == {"query": "tea"}


def test_a_resolver_decides_alone():
    resolved = resolve_namespace(lambda _: Namespace(**BOB), run_context(ADA, ADA))

    assert resolved == Namespace(**BOB)


def test_what_a_resolver_returns_is_checked():
    with pytest.raises(ValueError, match=r"namespace\.subject_id has 0 characters"):
        resolve_namespace(
            lambda _: Namespace(tenant_id="acme", subject_id=""), run_context(None, None)
        )
