"""Custom pages: folders of the user's, served under `/pages/<name>/` (protocol 8.2, decision 7)."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest

from tests.support.calls.raw_connection import RawConnection, request
from tests.support.server import Answer, RunningServer

FILES = {
    "index.html": b"<!doctype html><title>Mine</title>",
    "script.js": b"export const a = 1;",
    "style.css": b"a { color: red }",
    "data.json": b'{"a": 1}',
    "image.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "picture.png": b"\x89PNG\r\n\x1a\n",
    "sub/index.html": b"<title>Sub</title>",
    "sub/with blank.txt": b"blank",
    "sub/ünï.txt": "ü".encode(),
    "empty.txt": b"",
    "a%2Fb.txt": b"percent",
}


@pytest.fixture(scope="module")
def pages_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("pages")
    for name, content in FILES.items():
        path = folder / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "secret.txt").write_text("secret")
    (folder / "mine-too").mkdir()
    (folder / "mine-too" / "secret.txt").write_text("secret")
    (folder / "mine" / "link.txt").symlink_to(folder / "secret.txt")
    (folder / "bare").mkdir()
    flags = ("--custom-static", f"mine={folder / 'mine'},bare={folder / 'bare'}")
    with RunningServer(folder / "days.db", *flags) as server:
        yield server


def raw_get(server: RunningServer, target: str) -> Answer:
    """Without a client that tidies the path."""
    with RawConnection(server) as connection:
        connection.send(request("GET", target))
        return connection.answer()


@pytest.mark.parametrize("path", ["/pages/", "/pages"])
def test_list_of_pages_is_an_array_of_their_names(pages_server: RunningServer, path: str) -> None:
    answer = pages_server.get(path)

    assert (answer.status, sorted(answer.json)) == (200, ["bare", "mine"])


def test_list_is_empty_where_none_are_configured(shared_server: RunningServer) -> None:
    assert shared_server.get("/pages/").json == []


def test_page_s_folder_serves_its_index(pages_server: RunningServer) -> None:
    answer = pages_server.get("/pages/mine/?hostname=h&start=2026-01-01&end=2026-01-02&title=t")

    assert (answer.status, answer.body) == (200, FILES["index.html"])
    assert answer.headers["content-type"].startswith("text/html")


def test_folder_inside_a_page_serves_its_index_too(pages_server: RunningServer) -> None:
    assert pages_server.get("/pages/mine/sub/").body == FILES["sub/index.html"]


def test_name_without_a_slash_is_redirected_with_308(pages_server: RunningServer) -> None:
    answer = pages_server.get("/pages/mine?title=t")

    assert answer.status == 308
    assert urljoin("/pages/mine?title=t", answer.headers["location"]) == "/pages/mine/?title=t"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("index.html", "text/html"),
        ("script.js", "text/javascript"),
        ("style.css", "text/css"),
        ("data.json", "application/json"),
        ("image.svg", "image/svg+xml"),
        ("picture.png", "image/png"),
        ("empty.txt", "text/plain"),
    ],
)
def test_file_comes_with_the_type_of_its_extension(pages_server: RunningServer, name: str, kind: str) -> None:
    answer = pages_server.get(f"/pages/mine/{name}")

    assert (answer.status, answer.body) == (200, FILES[name])
    assert answer.headers["content-type"].partition(";")[0] == kind


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("sub/with%20blank.txt", "sub/with blank.txt"),
        ("sub/%C3%BCn%C3%AF.txt", "sub/ünï.txt"),
        ("a%252Fb.txt", "a%2Fb.txt"),
    ],
)
def test_path_is_decoded_once(pages_server: RunningServer, path: str, name: str) -> None:
    assert pages_server.get(f"/pages/mine/{path}").body == FILES[name]


def test_pages_may_be_framed_by_our_own_and_are_not_sniffed(pages_server: RunningServer) -> None:
    for path in ("/pages/mine/", "/pages/mine/script.js"):
        headers = pages_server.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "SAMEORIGIN"


def test_our_content_security_policy_is_not_forced_on_them(pages_server: RunningServer) -> None:
    assert pages_server.get("/pages/mine/").headers["content-security-policy"] == "frame-ancestors 'self'"


@pytest.mark.parametrize(
    "path",
    [
        "/pages/unknown/",
        "/pages/unknown/index.html",
        "/pages/mine/unknown.html",
        "/pages/bare/",
        "/pages/mine/index.html/more",
        "/pages/mine/%00",
        "/pages/mine/%ff",
        "/pages/mine/" + "x" * 300,
        "/pages/mine/" + "x/" * 2000,
    ],
)
def test_what_is_not_there_is_a_json_error(pages_server: RunningServer, path: str) -> None:
    answer = raw_get(pages_server, path)

    assert answer.status in ((400,) if "%" in path else (404,))
    assert answer.message


@pytest.mark.parametrize(
    "path",
    [
        "/pages/mine/../secret.txt",
        "/pages/mine/..%2Fsecret.txt",
        "/pages/mine/%2e%2e/secret.txt",
        "/pages/mine/%2e%2e%2fsecret.txt",
        "/pages/mine/sub/../../secret.txt",
        "/pages/mine/..%5Csecret.txt",
        "/pages/mine/../mine-too/secret.txt",
        "/pages/mine-too/secret.txt",
        "/pages/../secret.txt",
        "/pages/%2e%2e/secret.txt",
        "/pages/mine//etc/passwd",
        "/pages/mine/%2Fetc%2Fpasswd",
        "/pages/mine/link.txt",
        "/../secret.txt",
    ],
)
def test_no_path_leads_out_of_the_folder(pages_server: RunningServer, path: str) -> None:
    answer = raw_get(pages_server, path)

    assert answer.status in (400, 404)
    assert answer.body != b"secret"
    assert b"root:" not in answer.body


def test_pages_are_behind_the_host_and_origin_checks(pages_server: RunningServer) -> None:
    assert pages_server.get("/pages/mine/", Host="evil.example").status == 400
    assert pages_server.get("/pages/mine/", Origin="http://evil.example").status == 403
    assert pages_server.get("/pages/mine/", Origin="moz-extension://x").status == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_pages_can_only_be_read(pages_server: RunningServer, method: str) -> None:
    answer = pages_server.call(method, "/pages/mine/index.html", {} if method != "DELETE" else None)

    assert answer.status in (404, 405)
    assert pages_server.get("/pages/mine/index.html").body == FILES["index.html"]


def test_head_of_a_file_has_its_length_and_no_body(pages_server: RunningServer) -> None:
    with RawConnection(pages_server) as connection:
        connection.send(request("HEAD", "/pages/mine/script.js") + request("GET", "/api/0/info"))

        head = connection.answer(to_head=True)
        assert (head.status, head.headers["content-length"]) == (200, str(len(FILES["script.js"])))
        assert connection.answer().status == 200


def test_configured_in_the_settings_file_they_are_served_as_well(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "index.html").write_text("<p>hello")
    (tmp_path / "config.toml").write_text(f'[pages]\n"my page" = "{tmp_path / "folder"}"\n')

    with RunningServer(tmp_path / "days.db", "--config", str(tmp_path / "config.toml")) as server:
        assert server.get("/pages/").json == ["my page"]
        assert server.get("/pages/my%20page/").body == b"<p>hello"


def test_changed_file_is_served_as_it_is_now(pages_server: RunningServer) -> None:
    path = pages_server.database.parent / "mine" / "changing.txt"
    for text in ("one", "two!"):
        path.write_text(text)
        assert pages_server.get("/pages/mine/changing.txt").body == text.encode()
