"""The examples of the API's document are what a server sends."""

from pathlib import Path
from typing import Any, cast

import jsonschema_rs
import pytest

from dayline import __version__
from dayline.api.examples import recorded_examples
from dayline.api.http.openapi import openapi
from dayline.api.routes import CALLS
from tests.api.openapi.recording import bodies, record
from tests.support.server import RunningServer

DOCUMENT = openapi(CALLS, version=__version__)


@pytest.fixture(scope="module")
def received(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    folder: Path = tmp_path_factory.mktemp("examples")
    with RunningServer(folder / "dayline.db") as server:
        return record(server)


def test_every_success_body_has_a_recorded_example() -> None:
    assert sorted(bodies()) == sorted(recorded_examples())


def test_a_server_sends_the_fields_of_every_example(received: dict[str, object], subtests: pytest.Subtests) -> None:
    examples = recorded_examples()
    for name in examples:
        with subtests.test(name=name):
            assert fields_of(received[name]) == fields_of(examples[name]), (
                "to record it again: python -m tests.api.openapi.recording"
            )


def test_what_a_server_sends_fits_the_schema(received: dict[str, object], subtests: pytest.Subtests) -> None:
    for route in CALLS:
        if route.name in received:
            with subtests.test(name=route.name):
                assert route.answer is not None
                answer = DOCUMENT["paths"][route.path][route.method.lower()]["responses"][str(route.answer.status)]
                content = answer["content"]["application/json"]

                assert content["example"] == recorded_examples()[route.name]
                schema = {**content["schema"], "components": DOCUMENT["components"]}
                errors = jsonschema_rs.validator_for(schema).iter_errors(received[route.name])
                assert [error.message for error in errors] == []


def fields_of(value: object) -> object:
    """The names of the fields, without values, which differ each time; of a list, those of its first item."""
    match value:
        case dict():
            return {key: fields_of(item) for key, item in cast("dict[str, Any]", value).items()}
        case list():
            items = cast("list[object]", value)
            fields = [fields_of(item) for item in items[:1]]
            return [each for each in fields if each is not None]
        case _:
            return None
