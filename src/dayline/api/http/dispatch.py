"""How every request outside the fast path is served: its id, permissions, route and handler."""

import asyncio
from typing import Final

import falcon.asgi

from dayline.access.caller import NOBODY, Caller
from dayline.access.gate import CONFIRMATION, SAFE_METHODS, Credentials
from dayline.access.guarded_store import GuardedStore
from dayline.access.origins import Standing, base_redirect, own_origin, strip_base_path
from dayline.access.peers import Seen
from dayline.api.http import errors
from dayline.api.http.call import DESTROYS, REFUSED_USER, SHOWN_KEY, Call
from dayline.api.http.entry import answer_options, begin_answer, check_host, check_origin
from dayline.api.http.headers import IDEMPOTENCY_KEY, once_of, session_token
from dayline.api.http.inner import TRUSTED, Trusted
from dayline.api.http.route import Route
from dayline.api.http.router import Router
from dayline.api.http.services import Tenants, TenantServices
from dayline.api.routes import ROUTES
from dayline.model.access import Once
from dayline.model.errors import (
    BucketNotFound,
    DaylineError,
    Forbidden,
    Invalid,
    NotOnPostgres,
    TooMany,
    Unauthorised,
    Unavailable,
)
from dayline.model.time import now_us
from dayline.storage.store import Store

_BUCKET: str = "bucket_id"
_OTHERS: str = "/api/1/session/others"  # than the browser of the cookie


def check_extension(route: Route) -> None:
    """Raise Forbidden for what no page of a browser extension may call, whoever has sent it."""
    if not (route.is_for_extensions or route.scope == "append"):
        raise Forbidden(
            f"browser extensions may only record, not {route.method} {route.path}",
            hint="add the extension's origin to access.origins if you trust it with your data",
        )


def check_within(route: Route) -> None:
    """Raise Invalid for what makes no sense without a connection of its own: pages, cookies, an envelope in another."""
    is_open = route.scope is None and not route.is_for_extensions
    if is_open or route.path == _OTHERS:
        raise Invalid(f"{route.method} {route.path} cannot be called from within an envelope", field="path")


def check_permission(route: Route, params: dict[str, str], caller: Caller, store: Store) -> None:
    """Raise Unauthorised, Forbidden, or BucketNotFound for what is to look as if it did not exist."""
    if route.scope is None:
        return
    if caller.kind == "nobody":
        raise Unauthorised(
            "this server asks for a key", hint="Authorization: Bearer <key>; dayline keys create makes one"
        )
    if not caller.may(route.scope):
        if _is_own_of_extension(route, params, caller, store):
            return
        raise _refusal(route, caller)
    if route.is_of_server and caller.tenant:
        raise Forbidden(
            f"{route.method} {route.path} concerns the server itself, and the key is for one person's data",
            hint="whoever looks after the server can do this",
        )
    if route.is_server_wide and not caller.buckets.is_all:
        raise Forbidden(
            f"{route.method} {route.path} concerns the server as a whole, and the key is for some buckets only",
            hint="use a key that is for all buckets",
        )
    bucket_id = params.get(_BUCKET)
    if bucket_id is not None and not _may_use(route, bucket_id, caller, store):
        # Whoever may read other buckets learns that there is none of this name, as for any name. Whoever may not read
        # learns nothing at all: the same answer, whether the bucket exists or not.
        if caller.may("read") and not _creates(route):
            raise BucketNotFound(bucket_id)
        raise Forbidden(
            f"the key is not for the bucket {bucket_id!r}", hint=f"it is for {', '.join(caller.buckets.names)}"
        )


def _may_use(route: Route, bucket_id: str, caller: Caller, store: Store) -> bool:
    """Whether the bucket is one of the caller's. For recording, an alias is an id like any other: see GuardedStore."""
    names = caller.buckets
    return bucket_id in names and (names.is_all or route.scope == "append" or store.own_id(bucket_id) in names)


def _refusal(route: Route, caller: Caller) -> Forbidden:
    if caller.origin:
        return Forbidden("browser extensions may only read back what they have made themselves")
    return Forbidden(
        f"{route.method} {route.path} needs a key of scope {route.scope}, and this one has {caller.scope}",
        hint=f"dayline keys create --scope {route.scope}",
    )


def _is_own_of_extension(route: Route, params: dict[str, str], caller: Caller, store: Store) -> bool:
    """An extension may read back the fields of a bucket that it has made itself."""
    if not (caller.origin and route.is_for_extensions and route.method in SAFE_METHODS):
        return False
    bucket = store.buckets().get(store.own_id(params.get(_BUCKET, "")))
    return bucket is not None and bucket.creator == caller.origin


def _creates(route: Route) -> bool:
    return route.method == "POST" and route.path.endswith("{bucket_id}")


# The way of every request that the hot lane does not take: its number, the checks, the route, the handler.


_OWN_API: Final = "/api/1/"
App = falcon.asgi.App[falcon.asgi.Request, falcon.asgi.Response]


def make_app(tenants: Tenants) -> App:
    """The ASGI application. The framework's own routing is left aside: one sink takes every path."""
    app = falcon.asgi.App()
    app.req_options.auto_parse_form_urlencoded = False
    errors.register(app)
    app.add_sink(_Dispatcher(tenants, app).dispatch, prefix="")
    return app


class _Progress:
    """How far a request has come, for the audit trail."""

    def __init__(self, seen: Seen, own: TenantServices) -> None:
        self.seen = seen
        self.caller = NOBODY
        self.services: TenantServices | None = own  # None while it is known who calls, and their data are not open
        self.route: Route | None = None
        self.params: dict[str, str] = {}


class _Dispatcher:
    def __init__(self, tenants: Tenants, app: App) -> None:
        self._tenants = tenants
        self._server = tenants.own.server
        self._app = app
        self._router = Router(ROUTES)

    async def dispatch(self, req: falcon.asgi.Request, resp: falcon.asgi.Response | None, **_nothing: object) -> None:
        assert resp is not None  # only WebSockets have none, and they are not served
        request, response = req, resp
        begin_answer(request, response)
        trusted = _trusted(request)
        progress = _Progress(self._seen(request) if trusted is None else trusted.seen, self._tenants.own)
        try:
            await self._pass(request, response, progress, trusted)
        except DaylineError as error:
            await self._note(request, progress, errors.status_of(error).value, error)
            raise
        except asyncio.CancelledError as error:
            # Nobody cancels but the server that stops, when a request takes longer than it waits for.
            raise Unavailable("the server is stopping", hint="send it again when it is back") from error
        await self._note(request, progress, response.status_code)

    async def _pass(
        self,
        request: falcon.asgi.Request,
        response: falcon.asgi.Response,
        progress: _Progress,
        trusted: Trusted | None,
    ) -> None:
        standing = self._check_door(request, response, progress.seen) if trusted is None else Standing.TRUSTED
        if request.method == "OPTIONS":
            answer_options(request, response)
            return
        raw_path: str = request.scope["raw_path"].decode("ascii")
        redirect = base_redirect(raw_path, self._server.base_path)
        if redirect is not None and request.method in SAFE_METHODS:
            response.status = falcon.HTTP_308
            response.set_header("Location", redirect)
            return
        path = strip_base_path(raw_path, self._server.base_path)
        progress.route, progress.params = route, params = self._router.find(request.method, path)
        if standing is Standing.APPEND_ONLY:
            check_extension(route)
        # What needs no key is not refused for a bad one either: a client asks `info` before it knows anything.
        if trusted is not None:
            progress.caller = trusted.caller
            check_within(route)
        elif route.scope is not None:
            progress.caller = self._server.gate.caller(self._shown(request, progress.seen, standing))
        if progress.caller.kind in ("key", "session", "local"):
            request.scope.get("state", {}).get(SHOWN_KEY, _ignore)()
        usage = self._server.key_usages.of(progress.caller)
        if usage is not None:
            usage.take_request()
        services = await self._services_of(progress)
        check_permission(route, params, progress.caller, services.store)
        if route.is_of_file and not self._server.is_file:
            raise NotOnPostgres(route.summary)
        call = self._call(request, response, progress, trusted, services)
        if route.scope is not None and route.path.startswith(_OWN_API):
            call.tell_revision()  # before anything is read: the data are at least as new as it says
        await route.handler(call)

    async def _services_of(self, progress: _Progress) -> TenantServices:
        """Those of the person whose data the caller works with."""
        progress.services = None
        services = progress.services = await self._tenants.find(progress.caller.tenant)
        return services

    def _call(
        self,
        request: falcon.asgi.Request,
        response: falcon.asgi.Response,
        progress: _Progress,
        trusted: Trusted | None,
        services: TenantServices,
    ) -> Call:
        caller = progress.caller
        store, access = services.store, services.access
        for once in _tokens(request, caller) if trusted is None else trusted.once:
            store, access = store.once(once), access.once(once)
        return Call(
            request=request,
            response=response,
            params=progress.params,
            tenant=services,
            tenant_of=self._tenants.find,
            caller=caller,
            seen=progress.seen,
            store=store if caller.buckets.is_all else GuardedStore(store, caller.buckets),
            access=access,
            app=self._app,
        )

    async def _note(
        self, request: falcon.asgi.Request, progress: _Progress, status: int, error: DaylineError | None = None
    ) -> None:
        """Write the audit trail. Pages are not calls, and of what never became a call only refusals are told."""
        if progress.services is None:
            return  # it is for their own trail, which cannot be written either
        route, trail = progress.route, progress.services.trail
        is_refusal = isinstance(error, Unauthorised | Forbidden | TooMany) or (route is None and error is not None)
        if not is_refusal and (route is None or route.scope is None):
            return
        name = route.name if route is not None else "-"
        bucket = progress.params.get("bucket_id", "")
        address = progress.seen.address
        is_destructive = route is not None and (route.is_destructive or request.context.get(DESTROYS, False))
        if is_destructive and error is None:
            # What it was done to, where that is no bucket: an event, a key, a setting. Of what is refused nobody knows
            # what it is: somebody may have put a whole key where its id belongs.
            name = " ".join([name, *(value[:100] for field, value in progress.params.items() if field != "bucket_id")])
            await trail.note_act(progress.caller, address=address, call=name, bucket=bucket, status=status)
        else:
            trail.note(progress.caller, address=address, call=name, bucket=bucket, status=status)

    def _seen(self, request: falcon.asgi.Request) -> Seen:
        scope = request.scope
        return self._server.peers.seen(_peer(request), scope["headers"], scheme=scope["scheme"])

    def _check_door(self, request: falcon.asgi.Request, response: falcon.asgi.Response, seen: Seen) -> Standing:
        """Where it comes from, whom it calls, and which page has sent it."""
        if not self._server.peers.admits(_peer(request)):
            raise Forbidden(
                "this server is reached through its proxy", hint="call the proxy, or set up TLS with: dayline tls init"
            )
        local = request.scope["server"]
        check_host(seen.host, self._server.hosts, local_address=local[0] if local else None)
        own = own_origin(seen.scheme, seen.host) if seen.host is not None else None
        return check_origin(request, response, self._server.origins, own=own)

    def _shown(self, request: falcon.asgi.Request, seen: Seen, standing: Standing) -> Credentials:
        return Credentials(
            method=request.method,
            address=seen.address,
            authorization=request.get_header("Authorization"),
            cookie=session_token(request, self._server.port),
            confirmation=request.get_header(CONFIRMATION),
            standing=standing,
            origin=request.get_header("Origin", default=""),
            user_refusal=request.scope["state"].get(REFUSED_USER),
        )


def _ignore() -> None:
    """For requests without a connection of their own: in an envelope, or of a command."""


def _trusted(request: falcon.asgi.Request) -> Trusted | None:
    found = request.scope.get("state", {}).get(TRUSTED)
    return found if isinstance(found, Trusted) else None


def _peer(request: falcon.asgi.Request) -> str | None:
    """The address at the other end of the connection; None for a Unix socket."""
    client = request.scope.get("client")
    return client[0] if client and client[0] else None


def _tokens(request: falcon.asgi.Request, caller: Caller) -> tuple[Once, ...]:
    text = request.get_header(IDEMPOTENCY_KEY)
    if text is None or request.method in SAFE_METHODS:
        return ()
    return (once_of(text, caller, now=now_us()),)
