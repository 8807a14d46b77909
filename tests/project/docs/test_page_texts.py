"""The web UI translates what the server names by codes: calls, query functions and topics of suggestions."""

import json
from importlib.resources import files
from typing import Any, get_args

from dayline.api.routes import CALLS
from dayline.insight.categories.model import ReasonCode
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


def test_every_topic_of_a_known_app_or_site_has_a_text() -> None:
    known = (files("dayline.insight.categories") / "known_names.txt").read_text(encoding="utf-8")
    topics = {line.rpartition(": ")[2] for line in known.splitlines() if line.startswith("= ")}

    for language in texts("categories/suggestions/reasons.json").values():
        assert set(language["topics"]) == topics
        assert set(language["sentences"]) == set(get_args(ReasonCode))
