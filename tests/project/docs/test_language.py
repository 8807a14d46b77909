"""The documentation and the source text use established terms: words that we replaced do not come back."""

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

import pytest

from dayline.api.http.openapi import openapi
from dayline.api.routes import CALLS
from tests.support.project.files import ROOT, project_files

# What to write instead. Inline code and code blocks are not checked: they have the names that the program has.
REPLACED: Final = {
    r"mend(s|ed|ing)?": "fix, repair, correct",
    r"told|tells?": "report, return, show, notify",
    r"anew": "again",
    r"besides": "also, in addition",
    r"meanwhile": "while it runs, concurrently",
    r"somebody|whoever|nobody|anybody": "a user, the caller, no client",
    r"go(es)? on|went on": "continue, resume",
    r"by itself|by themselves": "automatically, on its own",
    r"lets? go|letting go": "delete, expire, release",
    r"(lies|stands) (beside|in|there|for|next)": "is stored next to, is, means",
    r"rooms?": "disk space, space",
    r"thin(s|ned|ning)?": "downsample",
    r"(comes?|came) to nothing": "fail",
    r"(these|so) many|at most so many": "max rows, limit",
    r"in the place of": "instead of",
    r"audit trail": "audit log",
    r"kept reports?": "saved report",
    r"hot lane": "fast path",
    r"in front": "active",
    r"(looks?|looked|looking) after": "maintain",
    r"patiently": "until it is available",
    r"the data are": "the data is",
}
BRITISH: Final = {
    r"\w*colour\w*": "color",
    r"grey\w*": "gray",
    r"\w*(un)?categoris(e|ed|es|ing|ation)\w*": "categorize",
    r"\w*authoris(e|ed|es|ing|ation)\w*": "authorize",
    r"\w*(recogn|initial|capital|summar|serial|sanit|normal)is(e|ed|es|ing|ation)": "-ize",
    r"\w*(organ|custom|optim|final|prior|synchron)is(e|ed|es|ing|ation)": "-ize",
    r"catalogues?": "catalog",
    r"cancell(ed|ing)": "canceled, canceling",
    r"label(led|ling)": "labeled",
    r"neighbours?|behaviours?|favours?|honours?": "neighbor, behavior, favor, honor",
    r"centre[ds]?": "center",
    r"licences?": "license",
}
WORDS: Final = {
    re.compile(rf"(?<![A-Za-z])(?:{word})(?![A-Za-z])", re.IGNORECASE): use
    for word, use in {**REPLACED, **BRITISH}.items()
}
# Identifiers of the page too: `someColour`, `.some-colour`. The API's states and what browsers call things stay.
# Without `\w*` and in lower case, because a search that may begin anywhere is quadratic in the length of a word.
SPELLING: Final = {re.compile(word.removeprefix(r"\w*").removesuffix(r"\w*")): use for word, use in BRITISH.items()}
NAMES_OF_OTHERS: Final = re.compile(r"(?<=[\"' ])cancelled(?=[\"':])|aria-labelledby")
# Of Python's modules and jeepney; the catalog of a store still has its former name.
NAMES_IN_PYTHON: Final = re.compile(r"cancelled|cancelling\b|\bserialise\(|catalogues?")
CODE: Final = re.compile(r"^```.*?^```$|^    .*$|`[^`\n]*(?:\n[^`\n]+)?`", re.MULTILINE | re.DOTALL)
INLINE_CODE: Final = re.compile(r"`[^`\n]*`")
# Texts of these pages come from the code.
GENERATED: Final = {"api.md", "cli.md", "settings.md", "query-functions.md"}
PAGES: Final = [
    file
    for file in project_files()
    if str(file) in {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"}
    or (file.parts[0] == "docs" and file.suffix == ".md" and file.name not in GENERATED)
]
CONTENT: Final = {"content.py"}  # titles of the demo data
# Not storage: its migrations have the former names of columns and kinds.
MODULES: Final = [
    file
    for file in project_files()
    if file.suffix == ".py" and file.parts[:2] == ("src", "dayline") and file.parts[2] != "storage"
    if file.name not in CONTENT
]
PYTHON_SOURCES: Final = [
    file for file in project_files() if file.suffix == ".py" and file.parts[:2] == ("src", "dayline")
]

GENERATED_SOURCES: Final = {"rapidoc-min.js", "schema.d.ts", "de.json", "package-lock.json"}
WEB_SOURCES: Final = [
    file
    for file in project_files()
    if file.parts[0] == "webui" or file.parts[:4] == ("src", "dayline", "api", "static")
    if file.suffix in {".ts", ".svelte", ".js", ".mjs", ".css", ".html", ".json"}
    if file.name not in GENERATED_SOURCES
]
LEVELS: Final = {"debug", "info", "warning", "error", "exception", "critical"}
CATALOG: Final = Path("webui/src/core/i18n/en.json")


def test_a_page_uses_established_terms(subtests: pytest.Subtests) -> None:
    for page in PAGES:
        with subtests.test(str(page)):
            text = CODE.sub("", (ROOT / page).read_text("utf-8"))

            assert replaced_words(text) == []


def test_the_pages_are_found() -> None:
    assert {"README.md", "docs/README.md", "docs/guides/backup.md"} <= {str(page) for page in PAGES}


def test_docstrings_comments_and_messages_use_established_terms(subtests: pytest.Subtests) -> None:
    for module in MODULES:
        with subtests.test(str(module)):
            found = [
                f"line {line}: {word}"
                for line, text in texts_of((ROOT / module).read_text("utf-8"))
                for word in replaced_words(INLINE_CODE.sub("", text))
            ]

            assert found == []


# The sources of the page were British while Python, docs and the API were American: `colour` next to the field `color`.
def test_sources_of_the_page_have_american_spelling(subtests: pytest.Subtests) -> None:
    for source in WEB_SOURCES:
        with subtests.test(str(source)):
            text = NAMES_OF_OTHERS.sub("", (ROOT / source).read_text("utf-8").lower())

            assert replaced_words(text, SPELLING) == []
            assert not any(word.search(str(source).lower()) for word in SPELLING)


# Identifiers and the engines were not checked: `Neighbor`, `_is_cancellable`, "serialised", "in favour of".
def test_python_sources_have_american_spelling(subtests: pytest.Subtests) -> None:
    for source in PYTHON_SOURCES:
        with subtests.test(str(source)):
            text = NAMES_IN_PYTHON.sub("", (ROOT / source).read_text("utf-8").lower())

            assert replaced_words(text, SPELLING) == []


def test_texts_of_the_page_use_established_terms() -> None:
    groups: dict[str, dict[str, Any]] = json.loads((ROOT / CATALOG).read_text("utf-8"))
    texts = [text for group in groups.values() for message in group.values() for text in forms_of(message)]

    assert len(texts) > 1000
    assert [f"{text!r}: {word}" for text in texts for word in replaced_words(text)] == []


def test_the_api_document_and_its_browser_use_established_terms() -> None:
    document = [text for text in strings_of(openapi(CALLS, version="")) if " " in text]
    script = (ROOT / "src/dayline/api/static/api.js").read_text("utf-8")

    assert len(document) > 1000
    texts = [*document, *re.findall(r"//.*|\"[^\"\n]* [^\"\n]*\"", script)]
    assert [f"{text!r}: {word}" for text in texts for word in replaced_words(INLINE_CODE.sub("", text))] == []


def test_texts_of_a_module_are_its_docstrings_comments_and_messages() -> None:
    source = '"""A docstring."""\nNAME = "value"  # a comment\nraise ValueError(f"no {NAME} here")\n'

    assert [text for _, text in texts_of(source)] == ["# a comment", "A docstring.", "no ", " here"]


def strings_of(value: object) -> Iterator[str]:
    """Every text in a JSON value that is not in an example."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from strings_of(item)
    elif isinstance(value, dict):
        for key, item in cast("dict[str, object]", value).items():
            if key not in ("example", "examples"):
                yield from strings_of(item)


def forms_of(message: str | dict[str, str]) -> list[str]:
    """A text of the catalog, or the plural forms of one."""
    return [message] if isinstance(message, str) else list(message.values())


def replaced_words(text: str, words: Mapping[re.Pattern[str], str] = WORDS) -> list[str]:
    return [f"{match[0]!r}: write {use}" for word, use in words.items() for match in word.finditer(text)]


def texts_of(source: str) -> Iterator[tuple[int, str]]:
    """Comments, docstrings and messages with their lines. A string without a space is a name, not a message."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def test_lines_of_the_log_start_in_upper_case() -> None:
    found = [
        f"{file}:{line}: {text}"
        for file in PYTHON_SOURCES
        for line, text in log_lines((ROOT / file).read_text("utf-8"))
        if re.match(r"[a-z]+ ", text)
    ]

    assert found == []


def test_lines_of_the_log_are_found() -> None:
    source = 'log.info("Started %s", name)\nself._log.error("wrong" if is_wrong else "right")\nmath.log("no")\n'

    assert [text for _, text in log_lines(source)] == ["Started %s", "wrong", "right"]


def log_lines(source: str) -> Iterator[tuple[int, str]]:
    """The texts of calls that write to the log, with their lines."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="log") | ast.Attribute(attr="_log"), attr=level), args=[text, *_]
            ) if level in LEVELS:
                texts = [text.body, text.orelse] if isinstance(text, ast.IfExp) else [text]
                for each in texts:
                    if isinstance(each, ast.Constant) and isinstance(each.value, str):
                        yield node.lineno, each.value
            case _:
                pass
