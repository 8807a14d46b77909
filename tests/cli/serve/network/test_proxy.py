"""Behind a proxy: what it says of its clients counts, and what anyone else says does not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

import pytest

from tests.cli.serve.network.proxies import NAME, links_of, proxy_to
from tests.support.calls.endpoints import Door, addresses_in_audit, create_key, event, make_certificate
from tests.support.server import RunningServer

BASE: Final = "/dayline"
FORGED: Final[dict[str, str]] = {
    "Forwarded": "for=198.51.100.7;proto=https;host=localhost",
    "X-Forwarded-For": "198.51.100.7",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "localhost",
}


class Behind:
    """A server that trusts the proxy at 127.0.0.1, and the ways to both of them."""

    def __init__(self, server: RunningServer, proxy_port: int, ca: Path, key: str) -> None:
        self.server = server
        self.proxy_port = proxy_port
        self._ca = ca
        self._key = key

    def by_proxy(self, *, source: str = "127.0.0.3", has_key: bool = True) -> Door:
        key = self._key if has_key else None
        return Door("127.0.0.1", self.proxy_port, ca=self._ca, key=key, source=source, name=NAME)

    def directly(self, *, source: str, has_key: bool = True) -> Door:
        return Door("127.0.0.1", self.server.port, key=self._key if has_key else None, source=source)

    def addresses(self) -> set[str]:
        return addresses_in_audit(self.directly(source="127.0.0.9"))


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    folder = tmp_path_factory.mktemp("proxy")
    database, config = folder / "days.db", folder / "config.toml"
    config.write_text(f'[access]\nhosts = ["{NAME}"]\n')
    key, certificate = create_key(database), make_certificate(database, "--name", NAME)
    flags = ("--config", str(config), "--trusted-proxy", "127.0.0.1", "--base-path", BASE)
    with (
        RunningServer(database, *flags) as server,
        proxy_to(server.url, certificate, folder) as port,
    ):
        yield Behind(server, port, Path(certificate["ca"]), key)


def test_clients_are_served_by_the_proxy(behind: Behind) -> None:
    door = behind.by_proxy()

    assert door.get(f"{BASE}/api/0/info").status == 200
    assert door.get(f"{BASE}/api/0/buckets/").status == 200


def test_a_key_is_needed_on_either_way(behind: Behind) -> None:
    assert behind.by_proxy(has_key=False).get(f"{BASE}/api/0/buckets/").status == 401
    assert behind.directly(source="127.0.0.1", has_key=False).get("/api/0/buckets/").status == 401
    assert behind.directly(source="127.0.0.2", has_key=False).get("/api/0/buckets/").status == 401


def test_the_client_is_known_by_its_own_address(behind: Behind) -> None:
    behind.by_proxy(source="127.0.0.4").get(f"{BASE}/api/0/buckets/")

    assert "127.0.0.4" in behind.addresses()


def test_what_a_client_of_the_proxy_claims_to_be_is_not_believed(behind: Behind) -> None:
    answer = behind.by_proxy(source="127.0.0.5").call("GET", f"{BASE}/api/0/buckets/", headers=FORGED)

    assert answer.status == 200
    assert "127.0.0.5" in behind.addresses()
    assert "198.51.100.7" not in behind.addresses()


@pytest.mark.parametrize("name", FORGED)
def test_headers_from_elsewhere_are_not_believed(behind: Behind, name: str) -> None:
    door = behind.directly(source="127.0.0.2")

    assert door.call("GET", "/api/0/buckets/", headers={name: FORGED[name]}).status == 200
    assert "127.0.0.2" in behind.addresses()
    assert "198.51.100.7" not in behind.addresses()


def test_headers_from_elsewhere_do_not_get_a_foreign_name_past_the_check(behind: Behind) -> None:
    forged = FORGED | {"Host": "evil.example"}

    assert behind.directly(source="127.0.0.2").call("GET", "/api/0/info", headers=forged).status == 400
    assert behind.by_proxy().get(f"{BASE}/api/0/info", Host="evil.example").status == 400


def test_headers_from_elsewhere_do_not_make_a_page_ours(behind: Behind) -> None:
    forged = {"X-Forwarded-Host": NAME, "X-Forwarded-Proto": "https", "Origin": f"https://{NAME}"}

    assert behind.directly(source="127.0.0.2").call("GET", "/api/0/info", headers=forged).status == 403
    assert behind.directly(source="127.0.0.1").call("GET", "/api/0/info", headers=forged).status == 200


def test_pages_that_the_proxy_shows_may_call(behind: Behind) -> None:
    own = f"https://{NAME}:{behind.proxy_port}"

    door = behind.by_proxy()
    assert door.call("POST", f"{BASE}/api/0/settings/a", 1, headers={"Origin": own}).status in (200, 201)
    assert door.get(f"{BASE}/api/0/info", Origin=own.replace("https", "http")).status == 403
    assert door.get(f"{BASE}/api/0/info", Origin="https://evil.example").status == 403


def test_heartbeats_are_recorded_by_the_proxy(behind: Behind) -> None:
    door = behind.by_proxy()
    door.create("beats", base=BASE)

    for second in range(5):
        path = f"{BASE}/api/0/buckets/beats/heartbeat?pulsetime=1"
        assert door.call("POST", path, event(second, str(second))).status == 200

    assert door.get(f"{BASE}/api/0/buckets/beats/events/count").json == 5


def test_large_bodies_pass(behind: Behind) -> None:
    door = behind.by_proxy()
    door.create("large", base=BASE)
    events = [event(second, "x" * 100_000) for second in range(30)]

    assert door.call("POST", f"{BASE}/api/0/buckets/large/events", events).status == 200
    assert len(door.get(f"{BASE}/api/0/buckets/large/events").json) == 30


@pytest.mark.parametrize("page", ["/", "/api/"])
def test_every_link_of_a_page_holds(behind: Behind, page: str) -> None:
    door = behind.by_proxy()
    answer = door.get(f"{BASE}{page}")
    assert answer.status == 200
    links = links_of(answer.body.decode())

    found = {link: door.get(urljoin(f"{BASE}{page}", link)).status for link in links}

    assert len(found) > 3
    # 409: sync is off, so it has no invite.
    assert {link: status for link, status in found.items() if status not in (200, 409)} == {}


@pytest.mark.parametrize("page", ["", "/api"])
def test_a_page_without_its_slash_leads_to_the_one_with_it(behind: Behind, page: str) -> None:
    door = behind.by_proxy()

    answer = door.get(f"{BASE}{page}")

    assert answer.status in (301, 308)
    assert urljoin(f"https://{NAME}:{behind.proxy_port}{BASE}{page}", answer.headers["location"]).endswith(
        f"{BASE}{page}/"
    )


# More than twice what a minute allows: it may end in between, and the count begin again.
TRIES: Final = 25


def test_wrong_keys_are_counted_by_the_address_of_the_client(behind: Behind) -> None:
    def statuses(door: Door, tries: int) -> set[int]:
        return {door.get(f"{BASE}/api/0/buckets/", Authorization="Bearer wrong").status for _ in range(tries)}

    assert statuses(behind.by_proxy(source="127.0.0.6"), TRIES) == {401, 429}
    assert statuses(behind.by_proxy(source="127.0.0.7"), 1) == {401}
    assert behind.by_proxy(source="127.0.0.6").get(f"{BASE}/api/0/buckets/").status == 200


def test_forged_headers_do_not_spread_wrong_keys_over_many_addresses(behind: Behind) -> None:
    door = behind.directly(source="127.0.0.8")

    statuses = {
        door.get("/api/0/buckets/", Authorization="Bearer wrong", X_Forwarded_For=f"198.51.100.{number}").status
        for number in range(TRIES)
    }

    assert statuses == {401, 429}
