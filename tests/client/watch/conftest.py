"""Desktop sessions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.watch.desktops.x11_session import X11Session, x11_session


@pytest.fixture
def x11(tmp_path: Path) -> Iterator[X11Session]:
    """A real X11 session; the module is marked with `needs(*PROGRAMS)`."""
    (tmp_path / "session").mkdir()
    with x11_session(tmp_path / "session") as session:
        yield session
