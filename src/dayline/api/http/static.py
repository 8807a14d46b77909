"""Serves static files, and never one outside its folder."""

import os
import stat
import string
from collections.abc import AsyncIterator, Mapping
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import quote

import falcon
from msgspec import Struct

from dayline.api.http.call import Call, has_current
from dayline.model.errors import PathNotFound
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
    """Respond with a file of the folder, or with the index page of a subfolder. Raises PathNotFound.

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
