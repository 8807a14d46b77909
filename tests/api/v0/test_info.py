"""`GET /api/0/info`: what every client asks first (protocol 3.1)."""

import platform
import re
import uuid
from pathlib import Path

from tests.support.server import RunningServer


def test_info_has_the_four_keys_that_typed_clients_need(shared_server: RunningServer) -> None:
    info = shared_server.get("/api/0/info").json

    assert {key: type(value) for key, value in info.items()} == {
        "hostname": str,
        "version": str,
        "testing": bool,
        "device_id": str,
    }


def test_hostname_is_the_computer_s(shared_server: RunningServer) -> None:
    assert shared_server.get("/api/0/info").json["hostname"] == platform.node()


def test_version_up_to_the_first_blank_is_a_semantic_version(shared_server: RunningServer) -> None:
    version = shared_server.get("/api/0/info").json["version"]

    assert re.fullmatch(r"v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", version.partition(" ")[0].partition("+")[0])


def test_version_does_not_make_the_web_ui_hide_the_api_browser(shared_server: RunningServer) -> None:
    assert "rust" not in shared_server.get("/api/0/info").json["version"]


def test_device_id_is_a_random_uuid(shared_server: RunningServer) -> None:
    assert uuid.UUID(shared_server.get("/api/0/info").json["device_id"]).version == 4


def test_device_id_stays_over_a_restart_and_differs_between_data_folders(tmp_path: Path) -> None:
    ids: list[str] = []
    for folder in ("one", "one", "two"):
        with RunningServer(tmp_path / folder / "days.db") as server:
            ids.append(server.get("/api/0/info").json["device_id"])

    assert ids[0] == ids[1] != ids[2]
