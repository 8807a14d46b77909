"""The API browser at `/api/`: RapiDoc on the OpenAPI document, and a plain list of the calls should it not load."""

from collections.abc import Sequence
from functools import partial
from hashlib import blake2b
from typing import Final

import falcon

from dayline.api import assets
from dayline.api.call import Call
from dayline.api.pages import BUILT, STATIC, own_headers
from dayline.api.route import TAGS, Route
from dayline.api.threads import aside

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
            assets.redirect_into(call)
            return
        if self._page is None:
            self._page = await aside(partial(_page, self._calls))
        etag = f'"{blake2b(self._page, digest_size=8).hexdigest()}"'
        call.response.set_headers({**_HEADERS, "ETag": etag})
        if assets.is_known(call, etag):
            call.response.status = falcon.HTTP_304
            return
        call.response.content_type = assets.MEDIA_TYPES[".html"]
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
