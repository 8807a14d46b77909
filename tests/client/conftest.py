"""What the tests of the client share: a place for what is to be closed at the end."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    """Whatever a test enters here is closed at its end, the last one first."""
    with ExitStack() as stack:
        yield stack
