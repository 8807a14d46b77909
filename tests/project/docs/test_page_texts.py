"""The web UI translates what the server names by codes: calls, query functions and topics of suggestions."""

import json
import re
from importlib.resources import files
from typing import Any

import pytest

from dayline.api.routes import CALLS
from dayline.query.language.signatures import SIGNATURES
from tests.support.project.files import ROOT

TEXTS = ROOT / "webui" / "src" / "core" / "i18n"


def texts(language: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((TEXTS / f"{language}.json").read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_call_and_every_query_function_has_a_text(language: str) -> None:
    assert set(texts(language)["calls"]) == {call.name for call in CALLS}
    assert set(texts(language)["functions"]) == set(SIGNATURES)


def test_the_page_describes_functions_as_the_server_does() -> None:
    assert texts("en")["functions"] == {name: signature.summary for name, signature in SIGNATURES.items()}


def test_every_topic_of_a_known_app_or_site_has_a_text() -> None:
    known = (files("dayline.insight.categories") / "known_names.txt").read_text(encoding="utf-8")
    topics = {line.rpartition(": ")[2] for line in known.splitlines() if line.startswith("= ")}
    page = (ROOT / "webui/src/features/categories/suggestions/reason.ts").read_text(encoding="utf-8")

    assert topics == set(re.findall(r'^  "?([^":]+)"?: \(\) =>', page, re.MULTILINE))
