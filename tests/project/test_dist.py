"""`make dist`: a wheel and a source archive that are complete, equal each time, and run without Node."""

import re
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Final

import pytest

from scripts.build_web import BUILT, TOOLS_IN_PAGE
from scripts.node_packages import run_tool
from tests.support.processes.command import Service
from tests.support.project.files import ROOT, packages, project_files
from tests.support.project.packaging import built, copied_page, environment_variables, environment_with
from tests.support.server import RunningServer, free_port
from tests.support.waiting import eventually

STATIC: Final = Path("src/dayline/api/static")
RAPIDOC: Final = ("rapidoc-min.js", "rapidoc-LICENSE.txt")


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return built(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def wheel(dist: dict[str, Path]) -> zipfile.ZipFile:
    return zipfile.ZipFile(dist[".whl"])


def page_files() -> set[str]:
    """The files of the built web UI, with their paths in the package's folder `api`."""
    return {f"built/{file.relative_to(BUILT).as_posix()}" for file in BUILT.rglob("*") if file.is_file()}


def test_nothing_in_the_archives_depends_on_when_and_by_whom_they_were_built(
    dist: dict[str, Path], wheel: zipfile.ZipFile
) -> None:
    with tarfile.open(dist[".gz"]) as archive:
        members = archive.getmembers()

    assert {entry.date_time for entry in wheel.infolist()} == {(2020, 2, 2, 0, 0, 0)}
    assert len({(member.mtime, member.uid, member.gid, member.uname, member.gname) for member in members}) == 1
    assert {member.mode & 0o777 for member in members} <= {0o644, 0o755}


@pytest.mark.long
def test_a_build_from_the_source_archive_is_equal_to_the_byte(dist: dict[str, Path], tmp_path: Path) -> None:
    with tarfile.open(dist[".gz"]) as archive:
        archive.extractall(tmp_path, filter="data")
    [source] = tmp_path.iterdir()

    again = built(source, tmp_path / "again")

    assert {file.name: file.read_bytes() for file in again.values()} == {
        file.name: file.read_bytes() for file in dist.values()
    }
    # Neither was the page built a second time, nor did that need Node.
    assert not (source / "webui" / "node_modules").exists()


def test_the_wheel_contains_every_file_of_the_package_and_the_built_page(wheel: zipfile.ZipFile) -> None:
    tracked = {file.relative_to("src").as_posix() for file in project_files() if file.parts[:2] == ("src", "dayline")}
    page = {f"dayline/api/{name}" for name in page_files()} | {f"dayline/api/static/{name}" for name in RAPIDOC}

    assert "dayline/api/built/index.html" in page
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == tracked | page


def test_the_metadata_names_the_license_and_no_address_that_does_not_exist(wheel: zipfile.ZipFile) -> None:
    [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = Parser().parsestr(wheel.read(name).decode())

    assert (metadata["License-Expression"], metadata["License-File"]) == ("MPL-2.0", "LICENSE")
    assert metadata.get_all("Project-URL") is None
    assert "Topic :: System :: Monitoring" in (metadata.get_all("Classifier") or [])


def test_the_licenses_of_all_bundled_packages_are_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    licenses = wheel.read("dayline/api/built/LICENSES.txt").decode()
    lock = packages(ROOT / "webui" / "package-lock.json")
    bundled = {place for place, entry in lock.items() if not (entry.get("dev") or entry.get("devOptional"))}

    heads = set(re.findall(r"^(\S+) \d\S*: \S", licenses, re.MULTILINE))

    assert heads == {place.rpartition("node_modules/")[2] for place in bundled | set(TOOLS_IN_PAGE)}
    assert "SIL OPEN FONT LICENSE" in licenses
    assert b"MIT" in wheel.read("dayline/api/static/rapidoc-LICENSE.txt")


def test_the_wheel_serves_everything_without_node(dist: dict[str, Path], tmp_path: Path) -> None:
    commands = environment_with(dist[".whl"], tmp_path / "environment")
    home = tmp_path / "home"
    home.mkdir()
    port = free_port()
    variables = environment_variables(commands, home) | {"DAYLINE_PORT": str(port)}

    with Service(home=home, command=[str(commands / "dayline")], variables=variables):
        server = RunningServer(home, port=port)
        page = server.get("/").body
        browser = server.get("/api/")
        files = [name.removeprefix("built/") for name in page_files() if not name.endswith(".gz")]
        answers = {name: server.get(f"/{name}") for name in files if name.startswith("app/")}
        static = [file.name for file in (ROOT / STATIC).iterdir()]

        assert page == (BUILT / "index.html").read_bytes()
        assert answers
        assert {name: answer.body for name, answer in answers.items()} == {
            name: (BUILT / name).read_bytes() for name in answers
        }
        assert b"rapidoc-min.js" in browser.body
        assert [name for name in static if server.get(f"/api/static/{name}").status != 200] == []
        assert server.get("/api/openapi.json").json["openapi"].startswith("3.")
        # A query runs in another process, with numpy and RE2. On a busy machine the server asks to try again until it
        # has started.
        query = {"query": ["RETURN = 1;"], "timeperiods": ["2026-02-03T00:00:00Z/2026-02-04T00:00:00Z"]}
        eventually(lambda: server.post("/api/0/query/", query).json == [1])


@pytest.mark.long
def test_the_page_is_the_same_wherever_it_is_built(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, target in ((ROOT / "webui", first), (copied_page(tmp_path / "elsewhere" / "webui"), second)):
        run_tool("vite", "build", "--logLevel=error", f"--outDir={target}", "--emptyOutDir", folder=folder)

    contents = [
        {str(file.relative_to(target)): file.read_bytes() for file in target.rglob("*") if file.is_file()}
        for target in (first, second)
    ]
    assert contents[0]
    assert contents[0] == contents[1]
