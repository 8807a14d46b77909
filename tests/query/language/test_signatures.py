"""The list of functions: complete, and true."""

import subprocess
import sys

import pytest

from dayline.query.language.ast import SourceText
from dayline.query.language.engine import ALL_FUNCTIONS
from dayline.query.language.parser import parse
from dayline.query.language.signatures import SIGNATURES, Signature
from dayline.query.language.static import check


def test_every_function_is_described_and_no_other() -> None:
    assert SIGNATURES.keys() == ALL_FUNCTIONS.keys()


@pytest.mark.parametrize("signature", SIGNATURES.values(), ids=lambda signature: signature.name)
def test_the_example_calls_the_function_as_it_can_be_called(signature: Signature) -> None:
    # What the example works on is defined before it.
    known = "".join(f"{name} = [];" for name in ("events", "afk", "active", "audible", "web", "windows", "editor"))
    known += "events_laptop = []; events_desktop = []; RETURN = 1;"

    check(parse(SourceText(known + signature.example)), ALL_FUNCTIONS)

    assert f"{signature.name}(" in signature.example


@pytest.mark.parametrize("signature", SIGNATURES.values(), ids=lambda signature: signature.name)
def test_descriptions_are_sentences(signature: Signature) -> None:
    for text in (signature.summary, *(parameter.description for parameter in signature.parameters)):
        assert text[0].isupper()
        assert text.endswith(".")


def test_the_form_shows_what_may_be_left_out() -> None:
    assert SIGNATURES["nop"].form == "nop()"
    assert SIGNATURES["flood"].form == "flood(events [, pulsetime])"
    assert SIGNATURES["concat"].form == "concat(lists, …)"


def test_the_recording_process_can_serve_the_list_without_numpy() -> None:
    program = "import sys, dayline.query.language.signatures; sys.exit('numpy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
