"""Static files: the web UI, the API browser and your own pages. Never serves a file outside its folder."""

import os
import stat
import string
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import quote

import falcon
from msgspec import Struct

from dayline.api.http.call import Call, has_current
from dayline.api.http.route import TAGS, Answer, Route
from dayline.model.errors import NotFound, PathNotFound
from dayline.runtime.threads import aside

INDEX: Final = "index.html"
CHUNK: Final = 256 << 10  # bytes per read; one chunk per running download is in memory
# Explicit, because the system's table may differ, and browsers rely on our type (`nosniff`).
MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".avif": "image/avif",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".gif": "image/gif",
    ".htm": "text/html; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".mp3": "audio/mpeg",
    ".mp4": "video/mp4",
    ".ogg": "audio/ogg",
    ".otf": "font/otf",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".wav": "audio/wav",
    ".webm": "video/webm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
}
UNKNOWN_TYPE: Final = "application/octet-stream"
_WELL_KNOWN: Final = ".well-known"
GZIP: Final = ".gz"  # suffix of a compressed copy
# For every file: no sniffing, and only our own pages may frame it.
HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-cache",  # revalidate each time; the ETag makes that cheap
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Content-Security-Policy": "frame-ancestors 'self'",
}


class StaticFile(Struct, frozen=True):
    """A regular file inside the served folder."""

    path: Path
    size: int
    etag: str
    media_type: str


class Folder(Struct, frozen=True):
    """A folder inside the served folder. Relative links of its page need a path with a trailing slash."""


async def answer_file(
    call: Call, folder: Path, name: str, headers: Mapping[str, str] = HEADERS, *, has_copies: bool = False
) -> None:
    """Answer with a file of the folder, or with the index page of a subfolder. Raises PathNotFound.

    With `has_copies`, a file with the suffix `.gz` is a compressed copy of the one without. That is known only for
    folders that Dayline has written: in others, `days.csv.gz` may be another file.
    """
    file = await aside(partial(look_up, folder, name))
    is_folder = isinstance(file, Folder)
    if is_folder:
        file = await aside(partial(look_up, folder, f"{name}/{INDEX}".lstrip("/")))
    if not isinstance(file, StaticFile):
        raise PathNotFound(call.raw_path)
    if is_folder and not call.has_final_slash:
        redirect_into(call)
        return
    smaller = await aside(partial(_copy_of, file)) if has_copies else None
    if smaller is not None:
        headers = {**headers, "Vary": "Accept-Encoding"}
        if accepts_gzip(call):
            headers = {**headers, "Content-Encoding": "gzip"}
            file = smaller
    if has_current(call, file.etag):
        call.response.status = falcon.HTTP_304
    else:
        await _answer_content(call, file)
    call.response.set_headers({**headers, "ETag": file.etag})


def look_up(folder: Path, name: str) -> StaticFile | Folder | None:
    """The file or subfolder with a name, which may contain slashes; None if it is missing or a link leads outside.

    Names that start with a dot are not served: those are files of editors and version control.
    """
    if any(part.startswith(".") and part != _WELL_KNOWN for part in name.split("/")):
        return None
    try:
        path = (folder / name).resolve(strict=True)
        status = path.stat()
        if not path.is_relative_to(folder.resolve(strict=True)):
            return None
    except (OSError, RuntimeError, ValueError):  # missing, not readable, a loop of links, an impossible name
        return None
    if stat.S_ISDIR(status.st_mode):
        return Folder()
    if not stat.S_ISREG(status.st_mode) or not os.access(path, os.R_OK):
        return None
    return StaticFile(path, status.st_size, _etag(status), MEDIA_TYPES.get(path.suffix.lower(), UNKNOWN_TYPE))


def _copy_of(file: StaticFile) -> StaticFile | None:
    """The compressed copy of a file, with the media type of the original."""
    copy = look_up(file.path.parent, f"{file.path.name}{GZIP}")
    return StaticFile(copy.path, copy.size, copy.etag, file.media_type) if isinstance(copy, StaticFile) else None


def _etag(status: os.stat_result) -> str:
    # Both times: an installer may set the same mtime for every version, but not the ctime.
    return f'"{status.st_mtime_ns:x}-{status.st_ctime_ns:x}-{status.st_size:x}"'


def accepts_gzip(call: Call) -> bool:
    """Whether the client accepts gzip."""
    accepted = call.request.get_header("Accept-Encoding", default="")
    names = {part.split(";")[0].strip().lower(): part.replace(" ", "").lower() for part in accepted.split(",")}
    return "gzip" in names and not names["gzip"].endswith((";q=0", ";q=0.0"))


def redirect_into(call: Call) -> None:
    """Redirect to the same path with a trailing slash."""
    # Relative, so that it works behind a proxy; with a dot, so that a colon does not look like a scheme.
    segment = call.raw_path.rstrip("/").rpartition("/")[2]
    query = f"?{call.request.query_string}" if call.request.query_string else ""
    location = quote(f"./{segment}/{query}", safe=string.punctuation)  # keeps the encoding, except for raw bytes
    call.response.status = falcon.HTTP_308
    call.response.set_header("Location", location)
    call.answer_value({"message": f"this folder is at {location}"})


async def _answer_content(call: Call, file: StaticFile) -> None:
    if call.request.method != "HEAD":
        try:
            call.response.stream = await aside(partial(_Stream, file))
        except OSError as error:  # deleted since the lookup
            raise PathNotFound(call.raw_path) from error
    call.response.content_type = file.media_type
    call.response.content_length = file.size


class _Stream(AsyncIterator[bytes]):
    """A file as the async iterator that Falcon reads and closes."""

    def __init__(self, file: StaticFile) -> None:
        self._file: BinaryIO = file.path.open("rb", buffering=0)
        self._left = file.size  # the Content-Length, in case the file grows while it is sent

    async def __anext__(self) -> bytes:
        chunk = await aside(partial(self._file.read, min(CHUNK, self._left)))
        if not chunk:
            raise StopAsyncIteration
        self._left -= len(chunk)
        return chunk

    async def close(self) -> None:
        await aside(self._file.close)


# Pages: Dayline's own at `/`, or another web UI (`--web-path`), and your folders under `/pages/`.


STATIC: Final = Path(__file__).parent.parent / "static"
BUILT: Final = Path(__file__).parent.parent / "built"  # the web UI, built from webui/ by scripts/build_web.py

# Nothing from other origins, no inline scripts or styles: markup injected through recorded data cannot run.
_POLICY: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "worker-src": "'self'",
    "style-src": "'self'",
    "font-src": "'self'",
    "img-src": "'self'",
    "manifest-src": "'self'",
    "connect-src": "'self'",
    "frame-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'self'",
}


def own_headers(**policy: str) -> Mapping[str, str]:
    """The headers of our own pages. `policy` overrides directives of the content security policy, with `_` for `-`."""
    directives = _POLICY | {name.replace("_", "-"): value for name, value in policy.items()}
    return {
        **HEADERS,
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in directives.items()),
        "Referrer-Policy": "no-referrer",
    }


_ICON: Final = "favicon.ico"
_OWN_HEADERS: Final = own_headers()
# The name of a built file contains a hash of its content.
_BUILT_HEADERS: Final = {**_OWN_HEADERS, "Cache-Control": "public, max-age=31536000, immutable"}


async def get_home(call: Call) -> None:
    """Dayline's web UI; with `--web-path`, the `index.html` of that folder."""
    if call.server.web_path is None:
        await answer_file(call, BUILT, INDEX, _OWN_HEADERS, has_copies=True)
    else:
        await answer_file(call, call.server.web_path, "")


async def get_web_file(call: Call) -> None:
    """Any file of the web UI. An unknown path is a 404; there is no fallback to `/`."""
    if call.server.web_path is not None:
        await answer_file(call, call.server.web_path, call.params["file"])
    elif call.params["file"].startswith("app/"):
        await answer_file(call, BUILT, call.params["file"], _BUILT_HEADERS, has_copies=True)
    else:
        raise PathNotFound(call.raw_path)


async def get_icon(call: Call) -> None:
    """The icon that browsers request by default: the web UI's, else Dayline's."""
    folder = call.server.web_path
    if folder is not None and await aside(partial(look_up, folder, _ICON)) is not None:
        await answer_file(call, folder, _ICON)
    else:
        await answer_file(call, STATIC, "favicon.svg", _OWN_HEADERS)


async def get_static(call: Call) -> None:
    """Styles, scripts and images. `app/` has the built ones, even if `--web-path` replaces the web UI."""
    file = call.params["file"]
    if file.startswith("app/"):
        await answer_file(call, BUILT, file, _BUILT_HEADERS, has_copies=True)
    else:
        await answer_file(call, STATIC, file, _OWN_HEADERS)


async def list_pages(call: Call) -> None:
    """The names of the folders in the settings. Each is served at `/pages/<name>/`."""
    call.answer_value(sorted(call.server.pages))


async def get_page_file(call: Call) -> None:
    """Any file of one of your folders; `index.html` for the folder itself."""
    name = call.params["name"]
    folder = call.server.pages.get(name)
    if folder is None:
        raise NotFound(
            f"there is no page named {name!r}",
            hint="GET /pages/ lists the pages; add one under [pages] in the settings file, or with --custom-static",
        )
    await answer_file(call, folder, call.params["file"])


# The API browser at `/api/`: RapiDoc on the OpenAPI document, and a plain list of endpoints if it does not load.
# RapiDoc writes inline styles with data URLs for icons. Scripts are still files of ours.
_HEADERS: Final = own_headers(style_src="'self' 'unsafe-inline'", img_src="'self' data:")
_CALLS_MARKER: Final = "<!-- calls -->"
_FONTS_MARKER: Final = "<!-- fonts -->"
# Files of the web UI; their names contain a hash. The page is in English and needs only the Latin subset.
_FONTS: Final = {
    "Geist Variable": "geist-latin-wght-normal-*.woff2",
    "Geist Mono Variable": "geist-mono-latin-wght-normal-*.woff2",
}


class ApiBrowser:
    """The page of the API browser, rendered on the first request."""

    def __init__(self, calls: Sequence[Route]) -> None:
        self._calls = calls
        self._page: bytes | None = None

    async def get_browser(self, call: Call) -> None:
        """Every endpoint with its parameters, bodies and answers. You can try each one."""
        if not call.has_final_slash:
            redirect_into(call)
            return
        if self._page is None:
            self._page = await aside(partial(_page, self._calls))
        etag = f'"{blake2b(self._page, digest_size=8).hexdigest()}"'
        call.response.set_headers({**_HEADERS, "ETag": etag})
        if has_current(call, etag):
            call.response.status = falcon.HTTP_304
            return
        call.response.content_type = MEDIA_TYPES[".html"]
        call.response.data = self._page


def _page(calls: Sequence[Route]) -> bytes:
    template = (STATIC / "api.html").read_text("utf-8")
    return template.replace(_FONTS_MARKER, _fonts_as_html()).replace(_CALLS_MARKER, calls_as_html(calls)).encode()


def _fonts_as_html() -> str:
    """The fonts of the web UI, if it is built; the page also works without them."""
    faces = [
        f'@font-face {{ font-family: "{family}"; font-weight: 100 900; font-display: swap; '
        f'src: url("static/app/{file.name}") format("woff2"); }}'
        for family, pattern in _FONTS.items()
        for file in sorted((BUILT / "app").glob(pattern))
    ]
    return "\n".join(["<style>", *faces, "</style>"])


def calls_as_html(calls: Sequence[Route]) -> str:
    """The endpoints as lists under the headings of their tags."""
    from html import escape  # imported here because it loads a large table that few servers need

    def entry(route: Route) -> str:
        path = escape(route.path)
        # A link if a browser can request it directly.
        needs_more = "{" in route.path or any(each.is_required for each in route.parameters)
        has_no_end = route.answer is not None and route.answer.media == "text/event-stream"
        is_link = route.method == "GET" and not needs_more and not has_no_end
        call = f'{route.method} <a href="..{path}">{path}</a>' if is_link else f"{route.method} {path}"
        return f"<dt><code>{call}</code></dt>\n<dd>{escape(route.summary)}</dd>\n"

    parts: list[str] = []
    for tag, about in TAGS.items():
        parts.append(f"<h2>{escape(tag.capitalize())}</h2>\n<p>{escape(about)}</p>\n<dl>\n")
        parts += [entry(route) for route in calls if route.tag == tag]
        parts.append("</dl>\n")
    return "".join(parts)


# Routes.


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/pages/", handler=list_pages, tag="pages", scope=None,
        summary="List your pages", answer=Answer(type=list[str], description="the names, sorted"),
    ),
)  # fmt: skip
