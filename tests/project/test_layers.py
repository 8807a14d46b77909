"""Imports point one way: each folder of the package uses only those that come before it."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

import pytest

from tests.support.project.files import ROOT, project_files

PACKAGE: Final = ROOT / "src" / "dayline"

# What each layer may import of ours. `storage.store`, `storage.columns` and those that `access` may
# import are the store without an engine.
MAY_IMPORT: Final[dict[str, set[str]]] = {
    "model": set(),
    "config": {"model"},
    "envelope": set(),
    "runtime": {"model"},
    "transform": {"model"},
    "storage": {"model", "config", "runtime", "transform"},
    "query": {"model", "config", "runtime", "transform", "storage.store", "storage.columns"},
    "insight": {
        "model",
        "runtime",
        "transform",
        "storage.store",
        "storage.columns",
        "query",
    },
    "access": {
        "model",
        "config",
        "runtime",
        "envelope",
        "transform",
        "storage.store",
        "storage.access",
    },
    "client": {"model", "runtime", "envelope", "transform"},
    "maintenance": {"model", "config", "runtime", "envelope", "transform", "storage", "client"},
    "demo": {"model"},
    "api": {
        "model",
        "config",
        "runtime",
        "demo",
        "envelope",
        "transform",
        "storage",
        "query",
        "insight",
        "access",
        "maintenance",
        "client.watch",
    },
}
# The command line wires everything together, so it alone may import every layer.
MAY_IMPORT["cli"] = set(MAY_IMPORT)


@cache
def imported(file: Path) -> Sequence[str]:
    """The full names that a file imports, wherever in the file; `from a import b` counts as `a.b`."""
    names: list[str] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=aliases):
                names += (alias.name for alias in aliases)
            case ast.ImportFrom(module=str(module), names=aliases):
                names += (f"{module}.{alias.name}" for alias in aliases)
            case _:
                pass
    return names


def is_within(name: str, part: str) -> bool:
    """Whether a full name is, or is in, a part of the package."""
    return f"{name}.".startswith(f"dayline.{part}.")


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_a_layer_imports_only_what_comes_before_it(layer: str) -> None:
    forbidden = MAY_IMPORT.keys() - {layer}
    wrong = [
        f"{file.relative_to(PACKAGE)} imports {name}"
        for file in sorted((PACKAGE / layer).rglob("*.py"))
        for name in imported(file)
        if any(is_within(name, other) for other in forbidden)
        and not any(is_within(name, part) for part in MAY_IMPORT[layer])
    ]

    assert wrong == []


def imports_of_modules() -> dict[str, set[str]]:
    """Each module of the package with the modules that it imports, wherever in the file."""
    files = {".".join(("dayline", *file.relative_to(PACKAGE).with_suffix("").parts)): file for file in _modules()}
    return {
        name: {found for full in imported(file) for found in (full, full.rpartition(".")[0]) if found in files}
        for name, file in files.items()
    }


def _modules() -> Iterator[Path]:
    return (file for file in PACKAGE.rglob("*.py") if file.name != "__init__.py")


def test_no_module_imports_itself_through_others() -> None:
    # An import inside a function hides a circle from Python, but not from who reads it: neither module can be
    # understood, moved or tested without the other. Imports for types count too.
    try:
        TopologicalSorter(imports_of_modules()).prepare()
        circle: Sequence[str] = []
    except CycleError as error:
        circle = error.args[1]

    assert circle == []


def test_the_relay_imports_neither_the_store_nor_queries() -> None:
    # It queues and forwards calls on computers that store nothing.
    wrong = [
        f"{name}.py imports {imports}"
        for name in ("app", "intake", "passthrough", "recording")
        for imports in imported(PACKAGE / "cli" / "relay" / f"{name}.py")
        if any(is_within(imports, part) for part in ("storage", "query", "insight", "maintenance", "cli.serve"))
    ]

    assert wrong == []


# The only module that names both engines.
OPENING: Final = Path("storage/opening.py")
ENGINES: Final = ("sqlite", "postgres")
MOST_ENTRIES: Final = 15
# What other layers import of storage. Of an engine: what exists for that engine only (backups, repair, replicas).
FACE: Final = {
    "access",
    "columns.cache",
    "columns.dictionaries",
    "columns.source",
    "disk_faults",
    "engine.sync_files",
    "history.contract",
    "opening",
    "operations.children",
    "postgres.address",
    "postgres.connection",
    "postgres.database",
    "postgres.identity",
    "postgres.overview",
    "postgres.replica",
    "postgres.schema.migrate",
    "postgres.upkeep.event_ids",
    "postgres.writing.listener",
    "retention.upkeep",
    "sqlite.backup.encryption",
    "sqlite.backup.file_format",
    "sqlite.backup.messages",
    "sqlite.backup.process",
    "sqlite.backup.restore",
    "sqlite.backup.snapshot",
    "sqlite.database",
    "sqlite.derived.check",
    "sqlite.file.lock",
    "sqlite.repair.finish",
    "sqlite.repair.mark",
    "sqlite.transfer.convert",
    "sqlite.transfer.encrypted_copy",
    "sqlite.upgrade",
    "store",
    "transfer.archive",
    "transfer.archive_copy",
    "transfer.archive_restore",
    "transfer.archive_stream",
    "transfer.copying",
    "transfer.event_rows",
    "transfer.expansion",
    "transfer.export_document",
    "transfer.report",
    "transfer.staging",
    "writing.mirrors",
    "writing.shared_items",
    "writing.notices",
}


def storage_imports(within: str = "") -> Iterator[tuple[Path, str]]:
    """Each file of storage, or of a folder in it, with what it imports."""
    for file in sorted((PACKAGE / "storage" / within).rglob("*.py")):
        for name in imported(file):
            yield file.relative_to(PACKAGE), name


@pytest.mark.parametrize(("engine", "other"), [ENGINES, ENGINES[::-1]])
def test_an_engine_of_storage_does_not_import_the_other(engine: str, other: str) -> None:
    wrong = [f"{path} imports {name}" for path, name in storage_imports(engine) if is_within(name, f"storage.{other}")]

    assert wrong == []


def test_storage_that_both_engines_share_imports_neither() -> None:
    wrong = [
        f"{path} imports {name}"
        for path, name in storage_imports()
        if path.parts[1] not in ENGINES
        and path != OPENING
        and any(is_within(name, f"storage.{engine}") for engine in ENGINES)
    ]

    assert wrong == []


def test_only_opening_names_both_engines() -> None:
    names = {file.relative_to(PACKAGE): imported(file) for file in PACKAGE.rglob("*.py")}
    both = [
        path
        for path, found in names.items()
        if all(any(is_within(name, f"storage.{engine}") for name in found) for engine in ENGINES)
    ]

    assert both == [OPENING]


def test_other_layers_import_only_the_face_of_storage() -> None:
    names = [
        (file.relative_to(PACKAGE), name)
        for file in sorted(PACKAGE.rglob("*.py"))
        if file.relative_to(PACKAGE).parts[0] != "storage"
        for name in imported(file)
        if is_within(name, "storage")
    ]
    used = {part for part in FACE for _, name in names if is_within(name, f"storage.{part}")}

    assert [
        f"{path} imports {name}" for path, name in names if not any(is_within(name, f"storage.{part}") for part in FACE)
    ] == []
    assert FACE - used == set()  # a module that no layer imports any more is private again


@pytest.mark.parametrize("top", ["src/dayline", "tests"])
def test_no_folder_has_more_than_15_entries(top: str) -> None:
    package = Path(top)
    entries: defaultdict[Path, set[Path]] = defaultdict(set)
    for file in project_files():
        if file.is_relative_to(package) and file.name != "__init__.py":
            for entry in (file, *file.parents) if file.suffix == ".py" else file.parents:
                entries[entry.parent].add(entry)
    too_full = {
        str(folder): len(found)
        for folder, found in entries.items()
        if folder.is_relative_to(package) and len(found) > MOST_ENTRIES
    }

    assert too_full == {}


def test_every_folder_of_the_package_is_a_layer() -> None:
    folders = {file.relative_to(PACKAGE).parts[0] for file in PACKAGE.glob("*/**/*.py")}

    assert folders <= MAY_IMPORT.keys()


def test_folders_of_tests_share_only_what_is_in_support() -> None:
    wrong = [
        f"{file} imports {name}"
        for file in project_files()
        if file.parts[0] == "tests" and file.suffix == ".py"
        for name in imported(ROOT / file)
        if name.startswith("tests.")
        and name.split(".")[1] not in ("support", file.parts[1])
        and "reference" not in name.split(".")  # a second implementation, which several capabilities compare with
    ]

    assert wrong == []


def test_helpers_of_tests_are_not_next_to_the_folders() -> None:
    assert [path.name for path in (ROOT / "tests").glob("*.py")] == ["conftest.py"]


def test_the_root_module_imports_none_of_its_layers() -> None:
    # Every import of a layer runs this file first: what it imported would be loaded for all of them.
    assert [name for name in imported(PACKAGE / "__init__.py") if name.startswith("dayline")] == []


def test_one_module_opens_every_sqlite_file() -> None:
    # It decides whether a file is encrypted: a file that another module opened would be stored in plain text.
    opening = {
        str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("*.py")
        if "apsw" in (source := file.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "apsw.Connection"
    }

    assert opening == {"runtime/sqlite_file.py"}
