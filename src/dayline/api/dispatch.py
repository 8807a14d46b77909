"""The way of every request that the hot lane does not take: its number, the checks, the route, the handler."""

import asyncio
from typing import Final

import falcon.asgi

from dayline.access.origins import Standing
from dayline.api import errors
from dayline.api.call import Call, Services
from dayline.api.request_ids import new_request_id
from dayline.api.route import Route
from dayline.api.router import Router
from dayline.api.routes import ROUTES
from dayline.model.errors import Forbidden, Malformed, Unavailable

PREFLIGHT_METHODS: Final = ("GET", "POST", "DELETE")

App = falcon.asgi.App[falcon.asgi.Request, falcon.asgi.Response]


def make_app(services: Services) -> App:
    """The ASGI application. The framework's own routing is left aside: one sink takes every path."""
    app = falcon.asgi.App()
    app.req_options.auto_parse_form_urlencoded = False
    errors.register(app)
    app.add_sink(_Dispatcher(services).dispatch, prefix="")
    return app


class _Dispatcher:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._router = Router(ROUTES)

    async def dispatch(self, req: falcon.asgi.Request, resp: falcon.asgi.Response | None, **_nothing: object) -> None:
        assert resp is not None  # only WebSockets have none, and they are not served
        request, response = req, resp
        request_id = request.context["request_id"] = new_request_id()
        response.set_header("X-Request-Id", request_id)
        self._check_host(request)
        standing = self._check_origin(request, response)
        if request.method == "OPTIONS":
            self._answer_options(request, response)
            return
        raw_path = request.scope["raw_path"].decode("ascii")
        route, params = self._router.find(request.method, raw_path)
        if standing is Standing.APPEND_ONLY:
            _check_extension(route)
        try:
            await route.handler(Call(request=request, response=response, params=params, services=self._services))
        except asyncio.CancelledError as error:
            # Nobody cancels but the server that stops, when a request takes longer than it waits for.
            raise Unavailable("the server is stopping", hint="send it again when it is back") from error

    def _check_host(self, request: falcon.asgi.Request) -> None:
        hosts = [value for name, value in request.scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._services.hosts.allows(hosts[0]):
            named = hosts[0].decode("latin-1")[:60] if hosts else "nothing"
            raise Malformed(
                f"the Host header names {named!r}, which is not this server",
                hint="call it as localhost or 127.0.0.1, or add the name to access.hosts",
            )

    def _check_origin(self, request: falcon.asgi.Request, response: falcon.asgi.Response) -> Standing:
        origin = request.get_header("Origin")
        response.append_header("Vary", "Origin")
        if origin is None:
            return Standing.TRUSTED
        standing = self._services.origins.standing(origin)
        if standing is Standing.FOREIGN:
            raise Forbidden(
                f"pages of {origin[:80]!r} may not call this server",
                hint="add the origin to access.origins if it is a page of yours",
            )
        response.set_header("Access-Control-Allow-Origin", origin)
        return standing

    def _answer_options(self, request: falcon.asgi.Request, response: falcon.asgi.Response) -> None:
        response.data = b""
        wanted = request.get_header("Access-Control-Request-Method")
        if request.get_header("Origin") is None or wanted is None:
            return
        if wanted not in PREFLIGHT_METHODS:
            raise Forbidden(f"{wanted[:20]} is not open to other pages")
        response.set_header("Access-Control-Allow-Methods", ", ".join(PREFLIGHT_METHODS))
        headers = request.get_header("Access-Control-Request-Headers")
        if headers is not None:
            response.set_header("Access-Control-Allow-Headers", headers)


def _check_extension(route: Route) -> None:
    if not route.is_for_extensions:
        raise Forbidden(
            f"browser extensions may only record, not {route.method} {route.path}",
            hint="add the extension's origin to access.origins if you trust it with your data",
        )
