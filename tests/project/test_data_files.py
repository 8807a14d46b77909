"""One module names the files of a database: they can be found, and moved, in one place."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dayline.config.data_folder import FORMER_NAMES, DataFile
from tests.support.project.files import ROOT

PACKAGE: Final = ROOT / "src" / "dayline"
NAMING: Final = PACKAGE / "config" / "data_folder.py"
OTHER_MEANINGS: Final = {".part", ".log", ".token", "device_id", "tls", "postgres-"}
# What follows the name of the database, today and in earlier versions.
ENDINGS: Final = {re.sub(r"^\.?{\w+}", "", name) for name in (*DataFile, *FORMER_NAMES.values())} - OTHER_MEANINGS


def texts_in(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def is_name(text: str) -> bool:
    is_start = text.startswith((*(ending for ending in ENDINGS if ending.endswith("-")), ".d/"))
    return is_start or text in ENDINGS


def test_only_one_module_names_the_files_of_a_database() -> None:
    named = [
        f"{file.relative_to(PACKAGE)}: {text}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if file != NAMING
        for text in texts_in(file)
        if is_name(text)
    ]

    assert named == []
