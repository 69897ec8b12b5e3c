"""The house: imports go down, never up, and no provider's SDK is imported outside its use."""

import ast
from pathlib import Path

import pytest

PACKAGE = "praxa_langgraph"
ROOT = Path(__file__).parent.parent / PACKAGE

# From the ground up. A module imports modules of its own layer or of a lower one.
LAYERS = (
    {"models"},
    {"bounds"},
    {"fusion", "sources"},
    {"runner"},
    {"reports"},
    {"recall"},
    {"federation"},
    {"namespaces", "queries", "demands", "tracing"},
    {"graph", "retriever", "agents", "evaluation"},
    {"testing", "demo"},
)
ON_MODELS_ALONE = {"rendering", "display", "candidates"}
SDKS = {
    "mem0",
    "zep_cloud",
    "letta_client",
    "graphiti_core",
    "agents",
    "openai",
    "httpx",
    "qdrant_client",
}
FRAMEWORKS = {"langgraph", "langchain_core", "langchain"}
MAY_USE_FRAMEWORKS = {"graph", "retriever", "agents", "namespaces", "demo", "evaluation"}


def level_of(layer):
    return next((level for level, names in enumerate(LAYERS) if layer in names), None)


def imports_of(path):
    """Each imported module, and whether it is imported when the file is."""
    tree = ast.parse(path.read_text("utf-8"))
    lazy = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node not in lazy
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            yield node.module, node not in lazy


def parts_of(path, root):
    return path.relative_to(root).with_suffix("").parts


def wrong_own_import(parts, module):
    """Say what is wrong with an import of our own module, or nothing."""
    imported = module.split(".")[1:]
    if not imported:
        return None
    layer, target = parts[0], imported[0]
    if layer in ON_MODELS_ALONE:
        return None if target in {"models", layer} else "stands on models alone"
    if target in ON_MODELS_ALONE:
        return None if level_of(layer) >= level_of("graph") else "only doors render"
    if layer == "sources" and target == "sources" and len(imported) > 1:
        own = parts[1] if len(parts) > 1 else ""
        return None if imported[1] in {"base", own} else "a source imports another source"
    return None if level_of(target) <= level_of(layer) else "reaches up"


def violations(root):
    for path in sorted(root.rglob("*.py")):
        parts = parts_of(path, root)
        if parts == ("__init__",):
            continue
        for module, at_import in imports_of(path):
            top = module.split(".")[0]
            wrong = None
            if top == PACKAGE:
                wrong = wrong_own_import(parts, module)
            elif top in SDKS and (at_import or parts[0] not in {"sources", "demo"}):
                wrong = "imports a provider's SDK"
            elif top in FRAMEWORKS and at_import and parts[0] not in MAY_USE_FRAMEWORKS:
                wrong = "imports a framework"
            if wrong:
                yield f"{'/'.join(parts)} imports {module}: {wrong}"


def test_no_module_reaches_up_and_no_sdk_is_imported_with_one():
    assert list(violations(ROOT)) == []


def test_every_module_has_its_place():
    known = set().union(*LAYERS) | ON_MODELS_ALONE | {"__init__", "py"}
    names = {path.stem if path.is_file() else path.name for path in ROOT.iterdir()}

    assert names - {"__pycache__"} <= known


@pytest.mark.parametrize(
    ("module", "statement", "wrong"),
    [
        ("models", "from praxa_langgraph.bounds import limits", "reaches up"),
        ("fusion", "import langgraph.graph", "imports a framework"),
        ("runner", "from praxa_langgraph.federation import MemoryFederation", "reaches up"),
        ("sources/zep", "from zep_cloud import Zep", "imports a provider's SDK"),
        ("sources/zep", "from praxa_langgraph.sources.mem0 import Mem0Source", "another source"),
        ("sources/zep", "from praxa_langgraph.runner import run", "reaches up"),
        ("rendering", "from praxa_langgraph.bounds.text import trim", "stands on models alone"),
        ("fusion", "def f():\n    import mem0", "imports a provider's SDK"),
    ],
)
def test_the_check_finds_a_wrong_import(tmp_path, module, statement, wrong):
    path = tmp_path / f"{module}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(statement, "utf-8")

    [found] = violations(tmp_path)

    assert wrong in found
