"""The Kubernetes manifest fits the schemas that Kubernetes publishes, and has no field that they do not know."""

from copy import deepcopy
from typing import Any, Final

import kubernetes_validate
import pytest

from tests.support.project.packaging import resources

RESOURCES: Final = resources()
VERSIONS: Final = [f"1.{minor}" for minor in range(30, 38)]  # those that clusters run


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("resource", RESOURCES.values(), ids=RESOURCES)
def test_every_resource_is_what_kubernetes_takes(resource: dict[str, Any], version: str) -> None:
    assert kubernetes_validate.validate(resource, version, strict=True) == version


def test_a_field_with_a_wrong_name_would_be_found() -> None:
    deployment = deepcopy(RESOURCES["Deployment"])
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    container["readyProbe"] = container.pop("readinessProbe")

    with pytest.raises(kubernetes_validate.ValidationError, match="readyProbe"):
        kubernetes_validate.validate(deployment, VERSIONS[-1], strict=True)
