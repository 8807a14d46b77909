"""The web UI translates what the server names by codes: calls and query functions."""

import json
from typing import Any

from dayline.api.routes import CALLS
from dayline.query.language.signatures import SIGNATURES
from tests.support.project.files import ROOT

FEATURES = ROOT / "webui" / "src" / "features"


def texts(path: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FEATURES / path).read_text(encoding="utf-8"))
    return loaded


def test_every_call_has_a_german_text() -> None:
    assert set(texts("access/audit/calls.de.json")) == {call.name for call in CALLS}


def test_every_query_function_has_a_german_text() -> None:
    assert set(texts("query/editor/functions.de.json")) == set(SIGNATURES)
