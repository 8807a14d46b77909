"""Pages: Dayline's own at `/`, or another web UI (`--web-path`), and your folders under `/pages/`."""

from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Final

import falcon

from dayline.api.http.call import Call, has_current
from dayline.api.http.route import TAGS, Answer, Route
from dayline.api.http.static import HEADERS, INDEX, MEDIA_TYPES, answer_file, look_up, redirect_into
from dayline.model.errors import NotFound, PathNotFound
from dayline.runtime.threads import aside

STATIC: Final = Path(__file__).parent / "static"
BUILT: Final = Path(__file__).parent / "built"  # the web UI, built from webui/ by scripts/build_web.py

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

_ICON: Final = "favicon.ico"

_CALLS_MARKER: Final = "<!-- calls -->"
_FONTS_MARKER: Final = "<!-- fonts -->"
# Files of the web UI; their names contain a hash. The page is in English and needs only the Latin subset.
_FONTS: Final = {
    "Geist Variable": "geist-latin-wght-normal-*.woff2",
    "Geist Mono Variable": "geist-mono-latin-wght-normal-*.woff2",
}


def own_headers(**policy: str) -> Mapping[str, str]:
    """The headers of our own pages. `policy` overrides directives of the content security policy, with `_` for `-`."""
    directives = _POLICY | {name.replace("_", "-"): value for name, value in policy.items()}
    return {
        **HEADERS,
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in directives.items()),
        "Referrer-Policy": "no-referrer",
    }


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


class ApiBrowser:
    """The page of the API browser, rendered on the first request."""

    def __init__(self, calls: Sequence[Route]) -> None:
        self._calls = calls
        self._page: bytes | None = None

    async def get_browser(self, call: Call) -> None:
        """Every endpoint with its parameters, bodies and responses. You can try each one."""
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
        needs_value = route.needs_a_parameter or any(each.is_required for each in route.parameters)
        needs_more = "{" in route.path or needs_value
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


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/pages/", handler=list_pages, tag="pages", scope=None,
        summary="List your pages", answer=Answer(type=list[str], description="the names, sorted"),
    ),
)  # fmt: skip
