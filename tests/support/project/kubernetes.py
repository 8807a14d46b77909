"""The Kubernetes manifest, taken apart."""

from typing import Any, Final, cast

import yaml

from tests.support.project.tracked import ROOT

FILE: Final = ROOT / "contrib" / "kubernetes" / "dayline.yaml"


def resources() -> dict[str, dict[str, Any]]:
    """What the file describes, by its kind."""
    _comment, *documents = FILE.read_text("utf-8").split("\n---\n")
    found = [cast("dict[str, Any]", yaml.safe_load(document)) for document in documents]
    return {resource["kind"]: resource for resource in found}


def pod() -> dict[str, Any]:
    spec: dict[str, Any] = resources()["Deployment"]["spec"]["template"]["spec"]
    return spec


def container() -> dict[str, Any]:
    [only] = pod()["containers"]
    return cast("dict[str, Any]", only)


def environment() -> dict[str, str | None]:
    """The variables; None for those whose value is a secret."""
    return {variable["name"]: variable.get("value") for variable in container()["env"]}
