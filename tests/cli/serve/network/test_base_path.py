"""Under a path: with the prefix and without it everything is where its relative links lead."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest

from tests.cli.serve.network.proxies import links_of
from tests.support.calls.clients import each_path
from tests.support.calls.endpoints import event
from tests.support.server import RunningServer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("base")
    (folder / "mine" / "sub").mkdir(parents=True)
    (folder / "mine" / "sub" / "index.html").write_text("mine")
    flags = ("--base-path", "/apps/dayline/", "--custom-static", f"mine={folder / 'mine'}")
    with RunningServer(folder / "days.db", *flags) as server:
        yield server


@pytest.mark.parametrize("prefix", ["", "/apps/dayline"])
@pytest.mark.parametrize(
    "path", ["/", "/api/0/info", "/api/0/buckets/", "/api/", "/api/openapi.json", "/pages/mine/sub/"]
)
def test_everything_is_there_with_the_prefix_and_without(server: RunningServer, prefix: str, path: str) -> None:
    assert server.get(f"{prefix}{path}").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/apps/daylinex/api/0/info",
        "/apps/dayline2",
        "/apps",
        "/apps/",
        "/apps/dayline/apps/dayline/api/0/info",
        "/Apps/dayline/api/0/info",
        "/apps%2Fdayline/api/0/info",
        "/apps/dayline/../dayline/api/0/info",
    ],
)
def test_what_only_looks_like_the_prefix_is_not_found(server: RunningServer, path: str) -> None:
    assert server.get(path).status == 404


@pytest.mark.parametrize("path", ["/apps/dayline", "/apps/dayline/api", "/api", "/apps/dayline/pages/mine/sub"])
def test_a_page_without_its_slash_leads_to_the_one_with_it(server: RunningServer, path: str) -> None:
    answer = server.get(path)

    assert answer.status == 308
    assert urljoin(path, answer.headers["location"]) == f"{path}/"
    assert server.get(f"{path}/").status == 200


@pytest.mark.parametrize("page", ["/apps/dayline/", "/apps/dayline/api/", "/", "/api/"])
def test_every_link_of_a_page_holds(server: RunningServer, page: str) -> None:
    links = links_of(server.get(page).body.decode())

    found = {link: server.get(urljoin(page, link)).status for link in links}

    assert len(found) > 3
    # 409: sync is off, so it has no invite.
    assert {link: status for link, status in found.items() if status not in (200, 409)} == {}


@each_path
@pytest.mark.parametrize("prefix", ["", "/apps/dayline"])
def test_heartbeats_are_recorded(server: RunningServer, content_type: str, prefix: str) -> None:
    bucket = f"b{len(content_type)}{len(prefix)}"
    server.create(bucket)

    path = f"{prefix}/api/0/buckets/{bucket}/heartbeat?pulsetime=1"
    answers = [server.call("POST", path, event(second), headers={"Content-Type": content_type}) for second in range(3)]

    assert [answer.status for answer in answers] == [200] * 3
    assert server.get(f"/api/0/buckets/{bucket}/events").json[0]["duration"] == 2


def test_an_extension_may_only_record_under_the_path_too(server: RunningServer) -> None:
    assert server.get("/apps/dayline/api/0/info", Origin="moz-extension://x").status == 200
    assert server.get("/apps/dayline/api/0/export", Origin="moz-extension://x").status == 403


def test_keys_are_asked_for_under_the_path_too(tmp_path: Path) -> None:
    with RunningServer(tmp_path / "days.db", "--base-path", "/dayline", "--require-keys") as server:
        for path in (
            "/api/0/buckets/",
            "/dayline/api/0/buckets/",
            "/dayline//api/0/buckets/",
            "//dayline/api/0/export",
        ):
            assert server.get(path).status in (401, 404)
        assert server.get("/dayline/api/0/buckets/").status == 401
