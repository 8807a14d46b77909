"""A failover of PostgreSQL under the traffic of a fleet: the primary is killed, cut off or paused, and comes back."""

import time
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from tests.storage.postgres.failover.devices import Device, Gaps
from tests.storage.postgres.failover.nodes import PACKAGES, Node, Nodes, running_nodes
from tests.support.processes.namespaces import missing_programs
from tests.support.waiting import eventually

DEVICES: Final = 200
MAX_GAP_S: Final = 30.0
FAULTS: Final[list[tuple[str, Callable[[Node], None], Callable[[Node], None]]]] = [
    ("killed", Node.kill, Node.start),
    ("cut off", lambda node: node.machine.cut(), lambda node: node.machine.connect()),
    ("paused", lambda node: node.machine.pause(), lambda node: node.machine.resume()),
]

pytestmark = [
    pytest.mark.long,
    pytest.mark.root,
    pytest.mark.skipif(
        bool(missing_programs(PACKAGES)),
        reason=f"not installed: apt-get install {' '.join(missing_programs(PACKAGES))}",
    ),
]


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    with running_nodes() as made:
        yield made


def test_a_failover_loses_and_doubles_no_acknowledged_heartbeat(
    nodes: Nodes, record_property: Callable[[str, object], None]
) -> None:
    devices = [Device(nodes.servers, number) for number in range(DEVICES)]
    for device in devices:
        device.create()
    for device in devices:
        device.start()
    wait_for_all(devices)
    found: dict[str, Gaps] = {}
    for name, begin, finish in FAULTS:
        [primary] = nodes.with_role("primary")
        begun = time.monotonic()
        begin(primary)
        eventually(lambda old=primary: nodes.with_role("primary") not in ([], [old]))  # type: ignore[misc]
        replaced_s = time.monotonic() - begun
        wait_for_all(devices)
        found[name] = Gaps(devices, begun)
        record_property(f"primary {name}", f"another primary after {replaced_s:.1f} s, {found[name]}")
        begun = time.monotonic()
        finish(primary)
        eventually(nodes.is_complete)
        wait_for_all(devices)
        found[f"back after it was {name}"] = back = Gaps(devices, begun)
        record_property(f"primary back after it was {name}", str(back))
    for device in devices:
        device.is_over.set()
    for device in devices:
        device.join()

    assert [device.stored() for device in devices] == [device.expected() for device in devices]
    assert max(gaps.all_s for gaps in found.values()) < MAX_GAP_S


def wait_for_all(devices: list[Device]) -> None:
    """Return when each of them has recorded again."""
    before = [len(device.times) for device in devices]
    eventually(lambda: all(len(device.times) >= old + 3 for device, old in zip(devices, before, strict=True)))
