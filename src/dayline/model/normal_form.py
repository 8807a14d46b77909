"""Which JSON values are equal, though they are written otherwise."""

import re
from typing import Final, cast

import msgspec

from dayline.model.data import CanonicalJson, canonical_json

_decode: Final = msgspec.json.Decoder().decode
# A number with a fraction or an exponent. Strings may look like one; that costs time only.
_MAY_HOLD_A_FLOAT: Final = re.compile(rb"(?:^|[\[:,])-?[0-9]+[.eE]")


def normal_form(text: CanonicalJson) -> bytes:
    """A text that equal values share: 1.0 is written as 1."""
    if _MAY_HOLD_A_FLOAT.search(text) is None:
        return text  # no number in it that could be written otherwise
    return canonical_json(_normal(_decode(text)))


def _normal(value: object) -> object:
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, list):
        return [_normal(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {key: _normal(item) for key, item in cast("dict[str, object]", value).items()}
    return value
