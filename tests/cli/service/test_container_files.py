"""The files for containers are held to the code: paths, commands, settings, the user, and how they fit together."""

import ipaddress
import re
import tomllib
from pathlib import Path
from typing import Any, Final, cast

import click
import pytest
import yaml

from dayline.cli.main import commands
from dayline.config.sections import PORT, parse_settings
from scripts.build_web import SCRIPT
from tests.support.project.files import ROOT, project_files, versions
from tests.support.project.packaging import copied_sources, default_arguments, environment_of, stages, step_of

FOLDER: Final = ROOT / "contrib" / "container"
BUILD, FINAL = stages()
COMPOSE: Final = cast("dict[str, Any]", yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8")))
SERVER: Final[dict[str, Any]] = COMPOSE["services"]["dayline"]
PROXY: Final[dict[str, Any]] = COMPOSE["services"]["proxy"]
CADDYFILE: Final = (FOLDER / "Caddyfile").read_text("utf-8")
CONFIG: Final = parse_settings(tomllib.loads((FOLDER / "config.toml").read_text("utf-8")))
DRAIN_S: Final = 10


def variables_of(command: click.Command) -> set[str]:
    """The environment variables that stand for flags of a command."""
    return {option.envvar for option in command.params if isinstance(option.envvar, str)}


def mounts(service: dict[str, Any]) -> dict[str, str]:
    """What is mounted, by the place in the container."""
    return {volume.split(":")[1]: volume.split(":")[0] for volume in service["volumes"]}


@pytest.mark.parametrize("source", [source for source, _ in copied_sources(BUILD)], ids=str)
def test_what_is_copied_exists_and_is_not_ignored(source: Path) -> None:
    let_through = re.findall(r"^!(.*)$", (ROOT / ".containerignore").read_text("utf-8"), re.M)

    assert (ROOT / source).exists()
    assert str(source) in let_through


def test_nothing_is_let_through_that_is_not_copied() -> None:
    let_through = re.findall(r"^!(.*)$", (ROOT / ".containerignore").read_text("utf-8"), re.M)

    assert set(let_through) == {str(source) for source, _ in copied_sources(BUILD)}


def test_every_package_is_installed_by_hash_or_is_the_wheel_just_built() -> None:
    installs = re.findall(r"pip install ([^&]*)", " && ".join(step.rest for step in BUILD if step.word == "RUN"))

    assert [install.strip() for install in installs] == [
        "--require-hashes --only-binary :all: -r requirements/build.txt -r requirements/node.txt",
        "--require-hashes --only-binary :all: -r requirements/runtime.txt",
        "--no-deps --no-index dist/*.whl",
    ]


def test_what_builds_the_wheel_is_locked_to_what_the_tests_build_with() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    build = versions(ROOT / "requirements" / "build.txt") | versions(ROOT / "requirements" / "node.txt")

    assert build.items() <= versions(ROOT / "requirements" / "dev.txt").items()
    groups = project["dependency-groups"]
    asked = {*project["build-system"]["requires"], *groups["build"], *groups["node"]}
    assert {re.split(r"[<>=]", requirement)[0] for requirement in asked} <= build.keys()
    assert SCRIPT.is_relative_to(ROOT / "src")  # built in the source tree, from what the second group brings


def test_both_stages_are_of_the_same_python_so_that_what_is_built_fits() -> None:
    bases = [stage[0].rest.split()[0] for stage in stages()]

    assert bases == ["${BASE_IMAGE}"] * 2
    assert default_arguments() == {"BASE_IMAGE": "python:3.12-slim"}


def test_the_base_image_can_be_pinned_by_digest_when_building_with_compose_too() -> None:
    [argument] = default_arguments().items()

    assert SERVER["build"]["args"] == {argument[0]: f"${{{argument[0]}:-{argument[1]}}}"}
    assert f"--build-arg {argument[0]}=python@sha256:" in (ROOT / "docs" / "start" / "container.md").read_text("utf-8")


def test_no_image_is_named_with_a_host() -> None:
    images = [*default_arguments().values(), SERVER["image"], PROXY["image"]]

    assert [image for image in images if "/" in image or "." in image.partition(":")[0]] == []


def test_the_server_is_not_root_and_owns_the_volume_and_nothing_else() -> None:
    user, _, group = step_of(FINAL, "USER").rest.partition(":")
    making = next(step.rest for step in FINAL if step.word == "RUN")

    assert int(user) > 0
    assert f"useradd --uid {user} --gid {group} --home-dir /data" in making
    assert f"install --directory --owner {user} --group {group} --mode 0700 /data" in making
    assert "chown" not in making


def test_the_database_and_its_files_are_in_the_volume() -> None:
    database = Path(environment_of(FINAL)["DAYLINE_DATABASE"])

    assert step_of(FINAL, "VOLUME").rest == step_of(FINAL, "WORKDIR").rest == str(database.parent)
    assert mounts(SERVER)[str(database.parent)] in COMPOSE["volumes"]


def test_every_variable_matches_a_flag_of_the_server() -> None:
    known = variables_of(commands.commands["serve"])
    used = {name for name in environment_of(FINAL) if name.startswith("DAYLINE_")} | set(SERVER["environment"])

    assert used <= known


def test_the_variable_of_the_database_counts_for_every_command_of_the_page() -> None:
    named = re.findall(
        r"dayline dayline (\w+)|dayline (keys) create", (ROOT / "docs" / "start" / "container.md").read_text()
    )

    for name in {first or second for first, second in named} | {"status"}:
        command = commands.commands[name]
        parts = command.commands.values() if isinstance(command, click.Group) else [command]
        on_database = [part for part in parts if "DAYLINE_DATABASE" in variables_of(part)]
        assert on_database, name


def test_what_is_started_and_what_is_asked_for_health_are_commands() -> None:
    [entry], [command] = step_of(FINAL, "ENTRYPOINT").words, step_of(FINAL, "CMD").words
    health = step_of(FINAL, "HEALTHCHECK").rest.partition("CMD ")[2]

    assert (entry, command) == ("dayline", "serve")
    assert command in commands.commands
    name, option = health.removeprefix("dayline ").removesuffix(" || exit 1").split()
    assert option in {each for parameter in commands.commands[name].params for each in parameter.opts}


def test_the_port_is_the_one_of_the_server() -> None:
    assert int(step_of(FINAL, "EXPOSE").rest) == PORT
    assert f"reverse_proxy dayline:{PORT}" in CADDYFILE
    assert "dayline" in COMPOSE["services"]


def test_the_compose_file_builds_this_tree() -> None:
    context = (FOLDER / SERVER["build"]["context"]).resolve()

    assert context == ROOT
    assert (context / SERVER["build"]["dockerfile"]).exists()


def test_only_the_trusted_proxy_reaches_the_server() -> None:
    address = PROXY["networks"]["inside"]["ipv4_address"]
    [network] = COMPOSE["networks"]["inside"]["ipam"]["config"]

    assert "ports" not in SERVER
    assert SERVER["networks"] == ["inside"]
    assert SERVER["environment"]["DAYLINE_TRUSTED_PROXIES"] == address
    assert ipaddress.ip_address(address) in ipaddress.ip_network(network["subnet"])


def test_the_server_answers_to_the_name_that_the_proxy_shows() -> None:
    [name] = re.findall(r"^(\S+) \{$", CADDYFILE, re.M)

    assert CONFIG.access.hosts == [name]
    assert "header_up -Forwarded" in CADDYFILE


def test_every_file_that_is_mounted_is_there() -> None:
    files = [source for service in (SERVER, PROXY) for source in mounts(service).values() if source.startswith("./")]

    assert files == ["./config.toml", "./Caddyfile"]
    assert all((FOLDER / file).is_file() for file in files)
    assert SERVER["environment"]["DAYLINE_CONFIG"] in mounts(SERVER)


def test_the_server_has_time_to_stop_and_no_rights_that_it_does_not_need() -> None:
    assert int(SERVER["stop_grace_period"].removesuffix("s")) > DRAIN_S
    assert SERVER["cap_drop"] == ["ALL"]
    assert SERVER["security_opt"] == ["no-new-privileges:true"]
    assert (SERVER["read_only"], SERVER["tmpfs"]) == (True, ["/tmp"])


def test_the_documentation_names_every_file() -> None:
    page = (ROOT / "docs" / "start" / "container.md").read_text("utf-8")
    files = [file.name for file in project_files() if file.parent == FOLDER.relative_to(ROOT)]

    assert sorted(files) == ["Caddyfile", "compose.yaml", "config.toml"]
    assert [file for file in ("Containerfile", "contrib/container/", *files) if file not in page] == []
