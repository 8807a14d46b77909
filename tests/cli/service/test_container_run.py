"""The steps of the Containerfile without a container: build the wheel, install it, start it as the image does.

The base image is not used, and packages are not downloaded: they come from the environment of the tests, which has the
same versions.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cli.service.test_container_files import CONFIG, FOLDER, SERVER
from tests.support.processes.command import Service, environment
from tests.support.project.files import ROOT
from tests.support.project.packaging import (
    copied_sources,
    environment_of,
    environment_variables,
    environment_with,
    stages,
    step_of,
)
from tests.support.server import Answer, RunningServer, free_port
from tests.support.waiting import PATIENCE_S

BUILD, FINAL = stages()
WRONG_SETTINGS: Final = 78


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment with the wheel, which the build stage's command built from what it copies."""
    folder = tmp_path_factory.mktemp("build")
    for source, target in copied_sources(BUILD):
        place = folder / target / (source.name if target.endswith("/") else "")
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / source, place)
    [command] = [step.rest.partition(" && ")[0] for step in BUILD if "hatchling build" in step.rest]
    words = shlex.split(command)
    assert words[0] == "/opt/build/bin/python"
    built = subprocess.run([sys.executable, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S)
    assert built.returncode == 0, built.stderr
    [wheel] = (folder / "dist").glob("*.whl")
    return environment_with(wheel, tmp_path_factory.mktemp("opt") / "dayline")


class Container:
    """What the image sets, with a folder instead of the volume, and a free port."""

    def __init__(self, data: Path, installed: Path) -> None:
        self.data = data
        self.port = free_port()
        self.command = str(installed / "dayline")
        # Without PYTHONDONTWRITEBYTECODE: in the image pip has compiled the modules, here the first process does.
        database = Path(environment_of(FINAL)["DAYLINE_DATABASE"])
        self.variables = environment_variables(installed, data) | {
            "DAYLINE_PORT": str(self.port), "DAYLINE_DATABASE": str(data / database.name),
        }  # fmt: skip

    def behind_a_proxy(self, address: str) -> None:
        """What the compose file also sets, with the proxy at another address."""
        given: dict[str, str] = SERVER["environment"]
        self.variables |= {
            **given,
            "DAYLINE_CONFIG": str(FOLDER / "config.toml"),
            "DAYLINE_TRUSTED_PROXIES": address,
        }

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.command, *arguments],
            env=environment(self.data, **self.variables), cwd=self.data,
            capture_output=True, text=True, timeout=PATIENCE_S,
        )  # fmt: skip

    def health(self) -> int:
        """The exit status of the health check, as the shell of the image gives it."""
        check = step_of(FINAL, "HEALTHCHECK").rest.partition("CMD ")[2]
        return subprocess.run(
            ["/bin/sh", "-c", check],
            env=environment(self.data, **self.variables), cwd=self.data, capture_output=True, timeout=PATIENCE_S,
        ).returncode  # fmt: skip

    def started(self) -> Service:
        assert step_of(FINAL, "CMD").words == ["serve"]  # which a Service adds itself
        return Service(home=self.data, command=[self.command], variables=self.variables)

    def call(self, path: str, **headers: str) -> Answer:
        return RunningServer(self.data, port=self.port).get(path, **headers)


@pytest.fixture
def container(tmp_path: Path, installed: Path) -> Container:
    return Container(tmp_path, installed)


def test_what_is_installed_is_what_was_built(container: Container, installed: Path) -> None:
    done = subprocess.run(
        [installed / "python", "-c", "import dayline; print(dayline.__file__)"],
        env=environment(container.data, **container.variables), capture_output=True, text=True, check=True,
    )  # fmt: skip

    package = Path(done.stdout.strip()).parent
    assert package.is_relative_to(installed.parent)
    assert (package / "api" / "static" / "rapidoc-min.js").exists()


def test_it_starts_is_healthy_keeps_its_data_in_the_volume_and_stops_as_asked(container: Container) -> None:
    assert container.health() == 1
    assert not (container.data / "dayline.db").exists()
    with container.started() as service:
        assert container.call("/api/0/info").status == 200
        assert container.call("/").status == 200
        assert container.health() == 0

        assert service.end(signal.Signals[step_of(FINAL, "STOPSIGNAL").rest]) == 0

    assert (container.data / "dayline.db").exists()
    assert container.health() == 1


def test_a_server_that_does_not_answer_is_unhealthy(container: Container) -> None:
    with container.started() as service:
        os.kill(service.pid, signal.SIGSTOP)
        try:
            assert container.health() == 1
        finally:
            os.kill(service.pid, signal.SIGCONT)


def test_behind_a_proxy_it_starts_only_after_a_key_was_made(container: Container) -> None:
    container.behind_a_proxy(SERVER["environment"]["DAYLINE_TRUSTED_PROXIES"])

    refused = container.run("serve")

    assert refused.returncode == WRONG_SETTINGS
    assert "dayline keys create" in refused.stderr
    assert not (container.data / "dayline.db").exists()
    assert container.run("keys", "create", "--name", "owner", "--scope", "full").returncode == 0
    with container.started():
        assert container.health() == 0


def test_behind_a_proxy_it_answers_to_the_name_of_the_proxy_and_asks_for_the_key(container: Container) -> None:
    container.behind_a_proxy("127.0.0.1")
    key = container.run("keys", "create", "--name", "owner", "--scope", "full").stdout.strip()
    [name] = CONFIG.access.hosts
    reported = {"Host": name, "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": name}

    with container.started():
        assert container.call("/api/0/buckets/", **reported).status == 401
        assert container.call("/api/0/buckets/", **reported, Authorization=f"Bearer {key}").json == {}
        assert container.call("/api/0/buckets/", Host="other.example.org").status == 400


def test_everything_that_the_server_writes_is_in_the_volume(container: Container) -> None:
    written = container.data.with_name("elsewhere")
    written.mkdir()
    container.variables |= {"TMPDIR": str(written)}
    with container.started():
        container.call("/api/0/export")

    assert list(written.iterdir()) == []
    assert {path.name for path in container.data.iterdir()} <= {
        "dayline.db", "dayline.db.d", "dayline.db.lock", "device_id",
    }  # fmt: skip
