"""Pages: Dayline's own at `/`, a web UI in its place (`--web-path`), and folders of one's own under `/pages/`."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from dayline.api import assets
from dayline.api.call import Call
from dayline.api.threads import aside
from dayline.model.errors import NotFound, PathNotFound

STATIC: Final = Path(__file__).parent / "static"
BUILT: Final = Path(__file__).parent / "built"  # the web UI, built from webui/ by scripts/build_web.py

# Nothing from elsewhere, no script or style inside a page: what somebody's data could smuggle in does not run.
_POLICY: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "worker-src": "'self'",
    "style-src": "'self'",
    "font-src": "'self'",
    "img-src": "'self'",
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
        **assets.HEADERS,
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in directives.items()),
        "Referrer-Policy": "no-referrer",
    }


_ICON: Final = "favicon.ico"
_OWN_HEADERS: Final = own_headers()
# The name of a built file changes with its content.
_BUILT_HEADERS: Final = {**_OWN_HEADERS, "Cache-Control": "public, max-age=31536000, immutable"}


async def get_home(call: Call) -> None:
    """Dayline's web UI; with `--web-path`, the `index.html` of that folder."""
    if call.services.web_path is None:
        await assets.answer_file(call, BUILT, assets.INDEX, _OWN_HEADERS, has_copies=True)
    else:
        await assets.answer_file(call, call.services.web_path, "")


async def get_web_file(call: Call) -> None:
    """Any file of the web UI. A path that is no file is not found: there is no fallback to `/`."""
    if call.services.web_path is not None:
        await assets.answer_file(call, call.services.web_path, call.params["file"])
    elif call.params["file"].startswith("app/"):
        await assets.answer_file(call, BUILT, call.params["file"], _BUILT_HEADERS, has_copies=True)
    else:
        raise PathNotFound(call.raw_path)


async def get_icon(call: Call) -> None:
    """The icon that browsers request for a page that names none: the web UI's own, else Dayline's."""
    folder = call.services.web_path
    if folder is not None and await aside(partial(assets.look_up, folder, _ICON)) is not None:
        await assets.answer_file(call, folder, _ICON)
    else:
        await assets.answer_file(call, STATIC, "favicon.svg", _OWN_HEADERS)


async def get_static(call: Call) -> None:
    """Styles, scripts and pictures; under `app/` the built ones, which are here also where there is another web UI."""
    file = call.params["file"]
    if file.startswith("app/"):
        await assets.answer_file(call, BUILT, file, _BUILT_HEADERS, has_copies=True)
    else:
        await assets.answer_file(call, STATIC, file, _OWN_HEADERS)


async def list_pages(call: Call) -> None:
    """The names that the settings give to folders; each is served at `/pages/<name>/`."""
    call.answer_value(sorted(call.services.pages))


async def get_page_file(call: Call) -> None:
    """Any file of a folder of yours; `index.html` for the folder itself."""
    name = call.params["name"]
    folder = call.services.pages.get(name)
    if folder is None:
        raise NotFound(
            f"there is no page named {name!r}",
            hint="GET /pages/ lists them; add one with [pages] in the settings file, or --custom-static",
        )
    await assets.answer_file(call, folder, call.params["file"])
