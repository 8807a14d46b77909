"""The path under which a proxy shows the server: `/dayline/api/0/info` is `/api/0/info` here.

Links of the pages and redirects are relative, so nothing else has to know the path.
"""

import re

from dayline.model.errors import Invalid

_SEGMENTS = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")


def normal_base_path(text: str) -> str:
    """The path with a slash before it and none behind it; empty for the root. Raises Invalid."""
    path = text.rstrip("/")
    if (text and not text.startswith("/")) or not _SEGMENTS.fullmatch(path) or {".", ".."} & set(path.split("/")):
        raise Invalid(
            f"base_path must be a path such as /dayline, not {text!r}",
            hint="--base-path /dayline",
            field="server.base_path",
        )
    return path


def strip_base_path(raw_path: str, base: str) -> str:
    """The path below the base. One that does not begin with it stays: a proxy may have taken it away already."""
    if not base or not raw_path.startswith(base):
        return raw_path
    rest = raw_path[len(base) :]
    if rest.startswith("/"):
        return rest
    return raw_path if rest else "/"


def base_redirect(raw_path: str, base: str) -> str | None:
    """Where a page at the base without its final slash has to go, for its relative links to hold; None elsewhere."""
    return f"./{base.rpartition('/')[2]}/" if base and raw_path == base else None
