"""Static files: Dayline's own pages, a web UI in their place (`--web-path`), and what no path may lead to."""

import gzip
import json
import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

from dayline.api.http.static import MEDIA_TYPES
from dayline.api.pages import BUILT, STATIC
from tests.support.server import RunningServer

WEBUI = Path(__file__).parents[3] / "webui"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pages, with a secret beside it and ways that seem to lead there."""
    parent = tmp_path_factory.mktemp("pages")
    folder = parent / "mine"
    (folder / "deep").mkdir(parents=True)
    (folder / "no-index").mkdir()
    (parent / "secret.txt").write_text("secret")
    (folder / "index.html").write_text("<h1>mine</h1>")
    (folder / "deep" / "index.html").write_text("<h1>deep</h1>")
    (folder / "deep" / "app.js").write_text("run()")
    (folder / "large.bin").write_bytes(os.urandom(3_000_000))
    (folder / "days.csv").write_text("day,hours")
    (folder / "days.csv.gz").write_bytes(gzip.compress(b"of another year"))
    (folder / "out.txt").symlink_to(parent / "secret.txt")
    (folder / "up").symlink_to(parent)
    (folder / "in.html").symlink_to(folder / "index.html")
    (folder / "circle").symlink_to(folder / "circle")
    os.mkfifo(folder / "pipe")
    return folder


@pytest.fixture(scope="module")
def pages(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with the folder as the page `mine`."""
    database = tmp_path_factory.mktemp("server") / "days.db"
    with RunningServer(database, "--custom-static", f"mine={folder}") as server:
        yield server


@pytest.fixture(scope="module")
def web(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with the folder as its web UI."""
    database = tmp_path_factory.mktemp("server") / "days.db"
    with RunningServer(database, "--web-path", str(folder)) as server:
        yield server


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/pages/mine", "./mine/"),
        ("/pages/mine?start=1&title=a%20b", "./mine/?start=1&title=a%20b"),
        ("/pages/mine/deep", "./deep/"),
        ("//pages//mine", "./mine/"),
        ("/api", "./api/"),
    ],
)
def test_a_folder_without_its_slash_redirects_to_it(pages: RunningServer, path: str, location: str) -> None:
    answer = pages.get(path)

    assert answer.status == 308
    assert answer.headers["location"] == location
    assert location in answer.message


def test_a_link_within_the_folder_is_followed(pages: RunningServer) -> None:
    assert pages.get("/pages/mine/in.html").body == b"<h1>mine</h1>"


def test_a_large_file_comes_whole(pages: RunningServer, folder: Path) -> None:
    answer = pages.get("/pages/mine/large.bin")

    assert answer.headers["content-length"] == "3000000"
    assert answer.body == (folder / "large.bin").read_bytes()


@pytest.mark.parametrize("path", ["/", "/api/", "/api/static/theme.js", "/pages/mine/"])
def test_browsers_may_neither_guess_the_type_nor_let_others_frame_it(pages: RunningServer, path: str) -> None:
    headers = pages.get(path).headers

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "SAMEORIGIN"


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "%2e%2e%2fsecret.txt",
        "deep/../../secret.txt",
        "deep/%2e%2e/%2e%2e/secret.txt",
        "deep/../index.html",
        "deep%2findex.html",
        "..%5csecret.txt",
        "%2fetc%2fpasswd",
        "./index.html",
        "out.txt",
        "up/secret.txt",
        "circle",
        "pipe",
        "no-index/",
        "no-index",
        "nothing.html",
        "x" * 5000,
    ],
)
def test_nothing_outside_the_folder_and_nothing_but_files_is_found(pages: RunningServer, path: str) -> None:
    answer = pages.get(f"/pages/mine/{path}")

    assert answer.status == 404
    assert b"secret" not in answer.body.replace(path.encode(), b"")


@pytest.mark.parametrize("path", ["/pages/mine/", "/pages/mine/large.bin", "/api/static/theme.js", "/api/", "/"])
def test_a_known_version_is_not_sent_again(pages: RunningServer, path: str) -> None:
    etag = pages.get(path).headers["etag"]

    for known in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        answer = pages.call("GET", path, headers={"If-None-Match": known})
        assert answer.status == 304
        assert answer.body == b""
        assert answer.headers["etag"] == etag


@pytest.mark.parametrize("path", ["/pages/mine/deep/app.js", "/api/", "/api/openapi.json", "/"])
def test_head_has_the_headers_of_get_and_no_body(pages: RunningServer, path: str) -> None:
    get, head = pages.get(path), pages.call("HEAD", path)

    assert head.status == 200
    assert head.body == b""
    for name in ("content-type", "content-length"):
        assert head.headers[name] == get.headers[name]


@pytest.mark.parametrize("path", ["/", "/pages/mine/", "/api/", "/api/static/theme.js"])
def test_a_foreign_host_gets_no_page(pages: RunningServer, path: str) -> None:
    assert pages.call("GET", path, headers={"Host": "evil.example"}).status == 400


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/", 405),
        ("POST", "/api/", 405),
        ("DELETE", "/pages/", 405),
        ("POST", "/nothing", 404),
        ("PUT", "/pages/mine/index.html", 404),
    ],
)
def test_pages_are_only_read(pages: RunningServer, method: str, path: str, status: int) -> None:
    assert pages.call(method, path).status == status


def test_the_page_of_the_server_allows_no_script_or_style_but_its_own(shared_server: RunningServer) -> None:
    policy = shared_server.get("/").headers["content-security-policy"]

    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "worker-src 'self';" in policy
    assert "style-src 'self';" in policy
    assert "unsafe" not in policy


def test_the_api_browser_allows_no_script_but_ours(shared_server: RunningServer) -> None:
    policy = shared_server.get("/api/").headers["content-security-policy"]

    assert "script-src 'self';" in policy
    assert "unsafe-eval" not in policy


def test_the_api_browser_has_the_colors_of_the_web_ui() -> None:
    color = re.compile(r"--([a-z-]+): (light-dark\([^)]*\));")
    ours = dict(color.findall((STATIC / "tokens.css").read_text()))
    theirs = dict(color.findall((WEBUI / "src" / "app.css").read_text()))

    assert ours
    assert ours == {name: theirs[name] for name in ours}


def test_no_file_of_ours_names_another_machine() -> None:
    written = [file for file in STATIC.iterdir() if not file.name.startswith("rapidoc") and file.is_file()]
    allowed = b"http://www.w3.org/2000/svg"  # the name of a format, which nothing fetches

    named = [file.name for file in written if b"://" in file.read_bytes().replace(allowed, b"")]

    assert written
    assert named == []


def test_no_built_file_loads_anything_from_elsewhere() -> None:
    """Addresses of other machines are in the built files as names and as links for people, never to be fetched."""
    fetched = re.compile(rb"""(?:src|href)=["']?\w+://|url\(["']?\w+://|import\(?["']\w+://|fetch\(["']\w+://""")
    built = [file for file in BUILT.rglob("*") if file.suffix in {".js", ".css", ".html"}]

    assert built
    assert [file.name for file in built if fetched.search(file.read_bytes())] == []


def test_built_files_are_kept_for_good_and_the_page_is_asked_for_each_time(shared_server: RunningServer) -> None:
    page = shared_server.get("/")
    [script] = re.findall(rb'src="\./(app/index-[\w-]+\.js)"', page.body)

    file = shared_server.get(f"/{script.decode()}")

    assert page.headers["cache-control"] == "no-cache"
    assert "immutable" in file.headers["cache-control"]
    assert file.headers["content-type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize(
    ("accepted", "is_compressed"), [("gzip", True), ("br, gzip;q=0.5", True), ("", False), ("gzip;q=0", False)]
)
def test_a_file_with_a_compressed_copy_goes_out_compressed_to_those_who_take_it(
    shared_server: RunningServer, accepted: str, is_compressed: bool
) -> None:
    plain = shared_server.get("/", **{"Accept-Encoding": "identity"})
    answer = shared_server.get("/", **{"Accept-Encoding": accepted})

    assert answer.headers["vary"] == "Accept-Encoding"
    assert (answer.headers.get("content-encoding") == "gzip") is is_compressed
    assert (gzip.decompress(answer.body) if is_compressed else answer.body) == plain.body
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert (answer.headers["etag"] == plain.headers["etag"]) is not is_compressed


def test_head_of_a_compressed_copy_has_the_headers_of_get(shared_server: RunningServer) -> None:
    get = shared_server.get("/", **{"Accept-Encoding": "gzip"})
    head = shared_server.call("HEAD", "/", headers={"Accept-Encoding": "gzip"})

    assert head.body == b""
    for name in ("content-type", "content-length", "content-encoding", "etag", "vary"):
        assert head.headers[name] == get.headers[name]


@pytest.mark.parametrize(("server_name", "prefix"), [("web", "/"), ("pages", "/pages/mine/")])
def test_a_file_of_a_user_is_never_used_as_the_compressed_copy_of_another(
    server_name: str, prefix: str, request: pytest.FixtureRequest
) -> None:
    server: RunningServer = request.getfixturevalue(server_name)

    table = server.get(f"{prefix}days.csv", **{"Accept-Encoding": "gzip"})
    packed = server.get(f"{prefix}days.csv.gz", **{"Accept-Encoding": "gzip"})

    assert table.body == b"day,hours"
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert gzip.decompress(packed.body) == b"of another year"
    assert packed.headers["content-type"] == "application/octet-stream"
    for answer in (table, packed):
        assert "content-encoding" not in answer.headers


def test_every_file_of_ours_has_a_type() -> None:
    assert {file.suffix for file in STATIC.iterdir() if file.is_file()} <= MEDIA_TYPES.keys()


@pytest.mark.parametrize("path", ["/index.html", "/nothing", "/css/app.css", "/app/nothing.js", "/LICENSES.txt"])
def test_an_unknown_path_is_not_found(shared_server: RunningServer, path: str) -> None:
    assert shared_server.get(path).status == 404


@pytest.mark.parametrize("path", ["/favicon.ico", "/api/static/favicon.svg"])
def test_the_icon_is_served_where_browsers_look_for_it(shared_server: RunningServer, path: str) -> None:
    # Chromium requests /favicon.ico for every page that names no icon; a 404 was an error on the page's console.
    answer = shared_server.get(path)

    assert (answer.status, answer.body) == (200, (STATIC / "favicon.svg").read_bytes())
    assert answer.headers["content-type"] == "image/svg+xml"


def test_the_page_can_be_installed_as_an_app(shared_server: RunningServer) -> None:
    page = shared_server.get("/")
    link = re.search(rb'rel="manifest" href="\./([^"]+)"', page.body)
    assert link is not None
    assert "manifest-src 'self'" in page.headers["content-security-policy"]

    place = f"http://server/{link[1].decode()}"
    answer = shared_server.get(urlsplit(place).path)
    assert answer.headers["content-type"] == "application/manifest+json"
    manifest = json.loads(answer.body)
    assert manifest["display"] == "standalone"
    # Relative addresses work under any base path; all of them lead to the page.
    assert {urljoin(place, manifest[field]) for field in ("id", "start_url", "scope")} == {"http://server/"}
    for icon in manifest["icons"]:
        picture = shared_server.get(urlsplit(urljoin(place, icon["src"])).path)
        assert (picture.status, picture.headers["content-type"]) == (200, icon["type"])
        if icon["type"] == "image/png":
            width, height = struct.unpack(">II", picture.body[16:24])
            assert icon["sizes"] == f"{width}x{height}"


def test_a_web_ui_without_an_icon_gets_ours_and_one_with_an_icon_keeps_it(web: RunningServer, folder: Path) -> None:
    ours = web.get("/favicon.ico")
    (folder / "favicon.ico").write_bytes(b"mine")
    theirs = web.get("/favicon.ico")
    (folder / "favicon.ico").unlink()

    assert (ours.status, ours.headers["content-type"]) == (200, "image/svg+xml")
    assert (theirs.body, theirs.headers["content-type"]) == (b"mine", "image/x-icon")


def test_names_that_begin_with_a_dot_are_not_served_but_for_well_known_ones(web: RunningServer, folder: Path) -> None:
    for name in (".git/config", ".env", "deep/.htpasswd", ".well-known/about.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("secret")

    hidden = [web.get(path).status for path in ("/.git/config", "/.env", "/deep/.htpasswd", "/%2Eenv", "/.git/")]
    assert hidden == [404] * 5
    assert web.get("/.well-known/about.txt").status == 200


def test_a_web_ui_takes_the_place_of_our_page(web: RunningServer) -> None:
    assert web.get("/").body == b"<h1>mine</h1>"
    assert web.get("/index.html").body == b"<h1>mine</h1>"
    assert web.get("/deep/app.js").body == b"run()"
    assert web.get("/").headers["content-security-policy"] == "frame-ancestors 'self'"


@pytest.mark.parametrize("path", ["/", "/deep/", "/deep/app.js", "/large.bin"])
def test_head_of_a_web_ui_has_the_headers_of_get(web: RunningServer, path: str) -> None:
    get, head = web.get(path), web.call("HEAD", path)

    assert (head.status, head.body) == (200, b"")
    for name in ("content-type", "content-length", "etag", "cache-control"):
        assert head.headers[name] == get.headers[name]


def test_the_api_browser_has_the_fonts_of_our_web_ui_beside_another_one(web: RunningServer) -> None:
    fonts = re.findall(rb'url\("(static/app/[\w.-]+)"\)', web.get("/api/").body)

    assert len(fonts) == 2
    for font in fonts:
        answer = web.get(f"/api/{font.decode()}")
        assert answer.headers["content-type"] == "font/woff2"
        assert "immutable" in answer.headers["cache-control"]


def test_a_web_ui_has_no_fallback_to_its_index(web: RunningServer) -> None:
    assert web.get("/timeline").status == 404


def test_a_web_ui_is_not_left_either(web: RunningServer) -> None:
    for path in ("/../secret.txt", "/%2e%2e/secret.txt", "/out.txt", "/up/secret.txt"):
        assert web.get(path).status == 404


def test_the_api_and_its_browser_stay_where_they_are_beside_a_web_ui(web: RunningServer) -> None:
    assert web.get("/api/0/info").status == 200
    assert b"rapi-doc" in web.get("/api/").body
    assert web.get("/api/static/api.css").status == 200


def test_a_segment_that_looks_like_a_template_is_only_a_name(shared_server: RunningServer) -> None:
    # The router kept its fields under the keys `{}` and `{*}`: a path with such a segment was answered with 500.
    for path in ("/api/0/buckets/%7B%7D", "/api/0/buckets/{}", "/{*}", "/pages/{}/{*}"):
        assert shared_server.get(path).status == 404
