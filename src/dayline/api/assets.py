"""Files of a folder: found without ever leaving it, and streamed from threads."""

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

from dayline.api.call import Call
from dayline.api.threads import aside
from dayline.model.errors import PathNotFound

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
    if is_known(call, found.etag):
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


def is_known(call: Call, etag: str) -> bool:
    """Whether the client has this version already."""
    known = call.request.get_header("If-None-Match", default="")
    return known.strip() == "*" or etag in [tag.strip().removeprefix("W/") for tag in known.split(",")]


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
