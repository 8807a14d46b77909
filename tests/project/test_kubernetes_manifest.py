"""The Kubernetes manifest is held to the code, and its parts to each other."""

import tomllib
from pathlib import PurePosixPath
from typing import Any, Final

import pytest

from dayline import __version__
from dayline.api.http.server import DRAIN_S
from dayline.api.routes import CALLS
from dayline.cli.main import commands
from dayline.config.sections import PORT, SettingsFile, parse_settings
from tests.support.project.packaging import FILE, container, environment, pod, resources, stages, step_of

RESOURCES: Final = resources()
LABELS: Final = RESOURCES["Deployment"]["spec"]["template"]["metadata"]["labels"]
PROBES: Final = ("readinessProbe", "livenessProbe")
VERSIONS: Final = {
    "ConfigMap": "v1",
    "Deployment": "apps/v1",
    "Service": "v1",
    "PodDisruptionBudget": "policy/v1",
}


def settings() -> SettingsFile:
    return parse_settings(tomllib.loads(RESOURCES["ConfigMap"]["data"]["config.toml"]))


def mounts() -> dict[str, dict[str, Any]]:
    """The volumes, by the place in the container."""
    volumes = {volume["name"]: volume for volume in pod()["volumes"]}
    return {mount["mountPath"]: volumes[mount["name"]] for mount in container()["volumeMounts"]}


def test_it_has_what_it_is_to_have_in_versions_that_clusters_serve() -> None:
    assert {kind: resource["apiVersion"] for kind, resource in RESOURCES.items()} == VERSIONS


def test_everything_that_selects_the_servers_finds_them() -> None:
    deployment = RESOURCES["Deployment"]["spec"]
    [spread] = pod()["topologySpreadConstraints"]

    assert deployment["selector"]["matchLabels"] == LABELS
    assert spread["labelSelector"]["matchLabels"] == LABELS
    assert RESOURCES["Service"]["spec"]["selector"] == LABELS
    assert RESOURCES["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == LABELS


def test_there_are_two_servers_and_one_of_them_stays() -> None:
    assert RESOURCES["Deployment"]["spec"]["replicas"] == 2
    assert RESOURCES["PodDisruptionBudget"]["spec"]["minAvailable"] == 1


def test_every_variable_matches_a_flag_of_the_server() -> None:
    known = {option.envvar for option in commands.commands["serve"].params if isinstance(option.envvar, str)}

    assert environment().keys() - known == {"HOME"}


def test_the_address_with_its_password_is_a_secret() -> None:
    assert environment()["DAYLINE_DATABASE"] is None
    assert "--from-literal=address=" in FILE.read_text("utf-8")


@pytest.mark.parametrize("probe", PROBES)
def test_a_probe_calls_what_exists_without_a_key(probe: str) -> None:
    get = container()[probe]["httpGet"]
    [route] = [route for route in CALLS if (route.method, route.path) == ("GET", get["path"])]

    assert route.scope is None
    assert get["scheme"] == "HTTPS"
    assert environment()["DAYLINE_TLS_CERT"] is not None


def test_ready_and_alive_are_different_questions() -> None:
    assert [container()[probe]["httpGet"]["path"] for probe in PROBES] == ["/api/1/ready", "/api/0/info"]


def test_the_port_is_the_same_everywhere() -> None:
    [port] = container()["ports"]
    [served] = RESOURCES["Service"]["spec"]["ports"]

    assert port["containerPort"] == int(environment()["DAYLINE_PORT"] or 0) == PORT
    assert {served["targetPort"], *(container()[probe]["httpGet"]["port"] for probe in PROBES)} == {port["name"]}


def test_the_files_that_it_names_are_mounted() -> None:
    named = [environment()[name] for name in ("DAYLINE_TLS_CERT", "DAYLINE_TLS_KEY", "DAYLINE_CONFIG")]
    certificate, key, config = (PurePosixPath(name or "") for name in named)

    assert mounts()[str(certificate.parent)] == mounts()[str(key.parent)]
    assert (certificate.name, key.name) == ("tls.crt", "tls.key")  # as a secret of the type `tls` calls them
    assert mounts()[str(config.parent)]["configMap"]["name"] == RESOURCES["ConfigMap"]["metadata"]["name"]
    assert config.name in RESOURCES["ConfigMap"]["data"]


def test_the_settings_are_settings() -> None:
    assert settings().query.workers == 2
    assert settings().access.hosts == ["diary.example.org"]


def test_the_memory_is_enough_for_what_queries_may_take() -> None:
    query = settings().query
    limit_mib = int(container()["resources"]["limits"]["memory"].removesuffix("Gi")) * 1024

    assert query.processes * query.memory_mib + 512 <= limit_mib


def test_the_server_is_the_user_of_the_image_and_can_do_nothing_else() -> None:
    user, _, group = step_of(stages()[1], "USER").rest.partition(":")
    of_pod, of_container = pod()["securityContext"], container()["securityContext"]

    assert (of_pod["runAsUser"], of_pod["runAsGroup"]) == (int(user), int(group))
    assert of_pod["runAsNonRoot"] is True
    assert of_container["readOnlyRootFilesystem"] is True
    assert of_container["allowPrivilegeEscalation"] is False
    assert of_container["capabilities"] == {"drop": ["ALL"]}


def test_what_the_server_writes_to_is_mounted() -> None:
    assert "emptyDir" in mounts()[environment()["HOME"] or ""]
    assert "emptyDir" in mounts()["/tmp"]


def test_stopping_is_given_the_time_that_it_takes() -> None:
    wait = int(container()["lifecycle"]["preStop"]["exec"]["command"][1])

    assert pod()["terminationGracePeriodSeconds"] > wait + DRAIN_S


def test_the_image_is_of_this_version() -> None:
    assert container()["image"].endswith(f"/dayline:{__version__}")
