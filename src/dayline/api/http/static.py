"""Static files: the web UI, the API browser and your own pages, never outside their folder."""

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

from dayline.api.http.call import Call
from dayline.api.http.headers import has_current
from dayline.api.http.route import TAGS, Answer, Route
from dayline.model.errors import NotFound, PathNotFound
from dayline.runtime.threads import aside

INDEX: Final = "index.html"
CHUNK: Final = 256 << 10  # read at once; one is in memory for each file on its way

# Explicit, because the machine's own table may name other types, and browsers hold to what we say (`nosniff`).
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
GZIP: Final = ".gz"  # what the name of a compressed copy has at its end

# For every file: the type is what we say it is, and only our own pages may put it into a frame.
HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-cache",  # ask each time; the ETag makes the answer short
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Content-Security-Policy": "frame-ancestors 'self'",
}


class Found(Struct, frozen=True):
    """A regular file inside the folder that was asked."""

    path: Path
    size: int
    etag: str
    media_type: str


class Folder(Struct, frozen=True):
    """A folder inside the folder that was asked; relative links of its page need a slash at the end of the path."""


async def answer_file(
    call: Call, folder: Path, name: str, headers: Mapping[str, str] = HEADERS, *, has_copies: bool = False
) -> None:
    """Answer with a file of the folder, or with the index of a folder in it. Raises PathNotFound.

    `has_copies` where a file with `.gz` at the end of its name is a compressed copy of the one without. Only of folders
    that Dayline has written itself is that known: in others, `days.csv.gz` may be an older or another file.
    """
    found = await aside(partial(look_up, folder, name))
    is_folder = isinstance(found, Folder)
    if is_folder:
        found = await aside(partial(look_up, folder, f"{name}/{INDEX}".lstrip("/")))
    if not isinstance(found, Found):
        raise PathNotFound(call.raw_path)
    if is_folder and not call.has_final_slash:
        redirect_into(call)
        return
    smaller = await aside(partial(_copy_of, found)) if has_copies else None
    if smaller is not None:
        headers = {**headers, "Vary": "Accept-Encoding"}
        if takes_gzip(call):
            headers = {**headers, "Content-Encoding": "gzip"}
            found = smaller
    if has_current(call, found.etag):
        call.response.status = falcon.HTTP_304
    else:
        await _answer_content(call, found)
    call.response.set_headers({**headers, "ETag": found.etag})


def look_up(folder: Path, name: str) -> Found | Folder | None:
    """What the folder has under a name of segments with slashes between; None also for what a link leads out to.

    Names that begin with a dot are not found: those are the files of editors and version control, not of a page.
    """
    if any(part.startswith(".") and part != _WELL_KNOWN for part in name.split("/")):
        return None
    try:
        path = (folder / name).resolve(strict=True)
        status = path.stat()
        if not path.is_relative_to(folder.resolve(strict=True)):
            return None
    except (OSError, RuntimeError, ValueError):  # not there, not ours to read, a circle of links, an impossible name
        return None
    if stat.S_ISDIR(status.st_mode):
        return Folder()
    if not stat.S_ISREG(status.st_mode) or not os.access(path, os.R_OK):
        return None
    return Found(path, status.st_size, _etag(status), MEDIA_TYPES.get(path.suffix.lower(), UNKNOWN_TYPE))


def _copy_of(found: Found) -> Found | None:
    """Its compressed copy, which is of its own type once it is unpacked."""
    copy = look_up(found.path.parent, f"{found.path.name}{GZIP}")
    return Found(copy.path, copy.size, copy.etag, found.media_type) if isinstance(copy, Found) else None


def _etag(status: os.stat_result) -> str:
    # Both times: an installer may give every version of a file the same date of change, but not of arrival.
    return f'"{status.st_mtime_ns:x}-{status.st_ctime_ns:x}-{status.st_size:x}"'


def takes_gzip(call: Call) -> bool:
    """Whether the client says that it can read what is compressed."""
    accepted = call.request.get_header("Accept-Encoding", default="")
    names = {part.split(";")[0].strip().lower(): part.replace(" ", "").lower() for part in accepted.split(",")}
    return "gzip" in names and not names["gzip"].endswith((";q=0", ";q=0.0"))


def redirect_into(call: Call) -> None:
    """Send the client to the same path with a slash at its end."""
    # Relative, so that it holds behind a proxy too; with a dot, so that a colon in it does not look like a scheme.
    segment = call.raw_path.rstrip("/").rpartition("/")[2]
    query = f"?{call.request.query_string}" if call.request.query_string else ""
    location = quote(f"./{segment}/{query}", safe=string.punctuation)  # encoded as it came, but for raw bytes
    call.response.status = falcon.HTTP_308
    call.response.set_header("Location", location)
    call.answer_value({"message": f"this folder is at {location}"})


async def _answer_content(call: Call, found: Found) -> None:
    if call.request.method != "HEAD":
        try:
            call.response.stream = await aside(partial(_Stream, found))
        except OSError as error:  # gone since it was found
            raise PathNotFound(call.raw_path) from error
    call.response.content_type = found.media_type
    call.response.content_length = found.size


class _Stream(AsyncIterator[bytes]):
    """A file on its way out, in the form that the framework iterates over and closes."""

    def __init__(self, found: Found) -> None:
        self._file: BinaryIO = found.path.open("rb", buffering=0)
        self._left = found.size  # what was promised in the header, should the file grow meanwhile

    async def __anext__(self) -> bytes:
        chunk = await aside(partial(self._file.read, min(CHUNK, self._left)))
        if not chunk:
            raise StopAsyncIteration
        self._left -= len(chunk)
        return chunk

    async def close(self) -> None:
        await aside(self._file.close)


# Pages: Dayline's own at `/`, a web UI in its place (`--web-path`), and folders of one's own under `/pages/`.


STATIC: Final = Path(__file__).parent.parent / "static"
BUILT: Final = Path(__file__).parent.parent / "built"  # the web UI, built from webui/ by scripts/build_web.py

# Nothing from elsewhere, no script or style inside a page: what somebody's data could smuggle in does not run.
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
    """The headers of a page of our own; `policy` loosens the content security policy by directive, `_` for `-`."""
    directives = _POLICY | {name.replace("_", "-"): value for name, value in policy.items()}
    return {
        **HEADERS,
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in directives.items()),
        "Referrer-Policy": "no-referrer",
    }


_ICON: Final = "favicon.ico"
_OWN_HEADERS: Final = own_headers()
# The name of a built file changes with its content.
_BUILT_HEADERS: Final = {**_OWN_HEADERS, "Cache-Control": "public, max-age=31536000, immutable"}


async def get_home(call: Call) -> None:
    """Dayline's web UI; with `--web-path`, the `index.html` of that folder."""
    if call.server.web_path is None:
        await answer_file(call, BUILT, INDEX, _OWN_HEADERS, has_copies=True)
    else:
        await answer_file(call, call.server.web_path, "")


async def get_web_file(call: Call) -> None:
    """Any file of the web UI. A path that is no file is not found: there is no fallback to `/`."""
    if call.server.web_path is not None:
        await answer_file(call, call.server.web_path, call.params["file"])
    elif call.params["file"].startswith("app/"):
        await answer_file(call, BUILT, call.params["file"], _BUILT_HEADERS, has_copies=True)
    else:
        raise PathNotFound(call.raw_path)


async def get_icon(call: Call) -> None:
    """The icon that browsers request for a page that names none: the web UI's own, else Dayline's."""
    folder = call.server.web_path
    if folder is not None and await aside(partial(look_up, folder, _ICON)) is not None:
        await answer_file(call, folder, _ICON)
    else:
        await answer_file(call, STATIC, "favicon.svg", _OWN_HEADERS)


async def get_static(call: Call) -> None:
    """Styles, scripts and pictures; under `app/` the built ones, which are here also where there is another web UI."""
    file = call.params["file"]
    if file.startswith("app/"):
        await answer_file(call, BUILT, file, _BUILT_HEADERS, has_copies=True)
    else:
        await answer_file(call, STATIC, file, _OWN_HEADERS)


async def list_pages(call: Call) -> None:
    """The names that the settings give to folders; each is served at `/pages/<name>/`."""
    call.answer_value(sorted(call.server.pages))


async def get_page_file(call: Call) -> None:
    """Any file of a folder of yours; `index.html` for the folder itself."""
    name = call.params["name"]
    folder = call.server.pages.get(name)
    if folder is None:
        raise NotFound(
            f"there is no page named {name!r}",
            hint="GET /pages/ lists them; add one with [pages] in the settings file, or --custom-static",
        )
    await answer_file(call, folder, call.params["file"])


# The API browser at `/api/`: RapiDoc on the OpenAPI document, and a plain list of the calls should it not load.


# RapiDoc writes its styles into its own elements; icons in them are data. Scripts stay files of ours.
_HEADERS: Final = own_headers(style_src="'self' 'unsafe-inline'", img_src="'self' data:")
_PLACE: Final = "<!-- calls -->"
_PLACE_OF_FONTS: Final = "<!-- fonts -->"
# The web UI has the files, under names that change with what is in them. Other scripts than Latin need no other font
# here, because the page is in English.
_FONTS: Final = {
    "Geist Variable": "geist-latin-wght-normal-*.woff2",
    "Geist Mono Variable": "geist-mono-latin-wght-normal-*.woff2",
}


class ApiBrowser:
    """The page for a table of calls, filled when it is first asked for."""

    def __init__(self, calls: Sequence[Route]) -> None:
        self._calls = calls
        self._page: bytes | None = None

    async def get_browser(self, call: Call) -> None:
        """Every call with its parameters, bodies and answers; each can be tried."""
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
    return template.replace(_PLACE_OF_FONTS, _fonts_as_html()).replace(_PLACE, calls_as_html(calls)).encode()


def _fonts_as_html() -> str:
    """The fonts of the web UI, as far as it is built; the page does without them as well."""
    faces = [
        f'@font-face {{ font-family: "{family}"; font-weight: 100 900; font-display: swap; '
        f'src: url("static/app/{file.name}") format("woff2"); }}'
        for family, pattern in _FONTS.items()
        for file in sorted((BUILT / "app").glob(pattern))
    ]
    return "\n".join(["<style>", *faces, "</style>"])


def calls_as_html(calls: Sequence[Route]) -> str:
    """The calls as lists under the headings of their tags."""
    from html import escape  # here, because it loads the names of all characters, and few starts need them

    def shown(route: Route) -> str:
        path = escape(route.path)
        # What a browser can ask for by itself is a link.
        needs_more = "{" in route.path or any(each.is_required for each in route.parameters)
        has_no_end = route.answer is not None and route.answer.media == "text/event-stream"
        is_link = route.method == "GET" and not needs_more and not has_no_end
        call = f'{route.method} <a href="..{path}">{path}</a>' if is_link else f"{route.method} {path}"
        return f"<dt><code>{call}</code></dt>\n<dd>{escape(route.summary)}</dd>\n"

    parts: list[str] = []
    for tag, about in TAGS.items():
        parts.append(f"<h2>{escape(tag.capitalize())}</h2>\n<p>{escape(about)}</p>\n<dl>\n")
        parts += [shown(route) for route in calls if route.tag == tag]
        parts.append("</dl>\n")
    return "".join(parts)


# Routes.


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/pages/", handler=list_pages, tag="pages", scope=None,
        summary="List the pages of your own", answer=Answer(type=list[str], description="names, sorted"),
    ),
)  # fmt: skip
