"""Every file of these tests is listed: either the storage engine can change its outcome, or it cannot."""

from pathlib import Path

import pytest

from tests.api.engines import DEPEND_ON_THE_ENGINE, FOLDERS, SAME_ON_EVERY_ENGINE


def test_every_file_is_in_one_of_the_two_lists() -> None:
    places = [path for folder in FOLDERS for path in (Path(__file__).parent / folder).rglob("test_*.py")]
    files = {path.stem for path in places}

    assert len(files) == len(places)
    assert files == DEPEND_ON_THE_ENGINE | SAME_ON_EVERY_ENGINE
    assert set() == DEPEND_ON_THE_ENGINE & SAME_ON_EVERY_ENGINE


def test_a_test_has_the_marker_of_its_file(request: pytest.FixtureRequest) -> None:
    found = {item.path.stem for item in request.session.items if item.get_closest_marker("engine") is not None}

    assert found <= DEPEND_ON_THE_ENGINE
    assert request.node.get_closest_marker("engine") is None
