"""A Python client that an independent generator builds from the OpenAPI document records and reads a heartbeat."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from dayline import __version__
from dayline.api.http.openapi import openapi
from dayline.api.routes import CALLS
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S

# Run in a process of its own, because the client is a package that exists only for this test.
PROGRAM: Final = """\
import datetime, sys
from generated import Client
from generated.api.buckets import create_bucket
from generated.api.events import get_events, send_heartbeat
from generated.models import HeartbeatBody, NewBucket

client = Client(base_url=sys.argv[1])
bucket = NewBucket.from_dict({"client": "generated", "type": "currentwindow", "hostname": "laptop"})
print(create_bucket.sync_detailed("generated_laptop", client=client, body=bucket).status_code.value)
beat = HeartbeatBody.from_dict({"timestamp": "2026-02-03T08:15:31.25Z", "duration": 0, "data": {"app": "Editor"}})
print(send_heartbeat.sync("generated_laptop", client=client, body=beat, pulsetime=60).id > 0)
[event] = get_events.sync("generated_laptop", client=client)
print(event.timestamp, event.duration, event.data.to_dict())
"""


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder with the package, and what the generator printed."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "openapi.json").write_text(json.dumps(openapi(CALLS, version=__version__)))
    (folder / "config.yml").write_text("post_hooks: []\n")  # no formatter
    command = [
        sys.executable, "-m", "openapi_python_client", "generate", "--path", "openapi.json", "--config", "config.yml",
        "--output-path", "generated", "--meta", "none",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout + done.stderr


def test_the_generator_understands_every_schema(generated: tuple[Path, str]) -> None:
    # A schema that it cannot read is left out of the client, with a warning.
    assert "Unable to" not in generated[1]


def test_a_generated_client_records_and_reads_a_heartbeat(
    generated: tuple[Path, str], shared_server: RunningServer
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, shared_server.url],
        cwd=generated[0], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip

    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[:2] == ["200", "True"]
    assert lines[2].endswith("0.0 {'app': 'Editor'}")
