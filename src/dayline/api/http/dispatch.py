"""Dispatches every request outside the fast path: id, checks, route, handler, audit log."""

import asyncio
import mimetypes
from collections.abc import Sequence

import falcon.asgi

from dayline.access.gate import SAFE_METHODS, Credentials
from dayline.access.limits import creator_name
from dayline.access.origins import Standing, base_redirect, own_origin, strip_base_path
from dayline.access.peers import RequestOrigin
from dayline.api.http import errors
from dayline.api.http.browser import browser_proof
from dayline.api.http.call import DESTROYS, IDEMPOTENCY_KEY, REFUSED_USER, SHOWN_KEY, Call, journal_note, once_of
from dayline.api.http.entry import answer_options, begin_answer, check_host, check_origin
from dayline.api.http.inner import TRUSTED, Trusted
from dayline.api.http.route import Route
from dayline.api.http.router import GrowingRouter
from dayline.api.http.services import Tenants, TenantServices
from dayline.api.v0 import buckets, events, info
from dayline.model.access import ANONYMOUS, Caller, Once
from dayline.model.errors import (
    BucketNotFound,
    ClientGone,
    DaylineError,
    Forbidden,
    Invalid,
    NotOnPostgres,
    TooMany,
    Unauthorized,
    Unavailable,
)
from dayline.model.time import now_us
from dayline.storage.store import Store

_BUCKET: str = "bucket_id"
_OTHERS: str = "/api/1/session/others"


def check_extension(route: Route) -> None:
    """Raise Forbidden if browser extensions may not call the route, whatever key they send."""
    if not (route.audience == "extensions" or route.scope == "append"):
        raise Forbidden(
            f"browser extensions may only record data, not call {route.method} {route.path}",
            hint="if you trust the extension with your data, add its origin to the setting access.origins",
        )


def check_within(route: Route) -> None:
    """Raise Invalid for routes that need their own connection: pages, cookies, an envelope inside an envelope."""
    is_open = route.scope is None and route.audience != "extensions"
    if is_open or route.path == _OTHERS:
        raise Invalid(f"{route.method} {route.path} cannot be called inside an envelope", field="path")


def check_permission(route: Route, params: dict[str, str], caller: Caller, store: Store) -> None:
    """Raise Unauthorized or Forbidden, or BucketNotFound if the caller must not learn that the bucket exists."""
    if route.scope is None:
        return
    if caller.kind == "nobody":
        raise Unauthorized(
            "this server requires a key", hint="send Authorization: Bearer KEY; dayline keys create creates a key"
        )
    if not caller.may(route.scope):
        if _is_own_of_extension(route, params, caller, store):
            return
        raise _refusal(route, caller)
    if route.audience == "server" and caller.tenant:
        raise Forbidden(
            f"{route.method} {route.path} is for server administrators, and this key belongs to one tenant",
            hint="use a key without a tenant",
        )
    if route.needs_all_buckets and not caller.buckets.is_all:
        raise Forbidden(
            f"{route.method} {route.path} affects the whole server, and this key is limited to some buckets",
            hint="use a key for all buckets",
        )
    bucket_id = params.get(_BUCKET)
    if bucket_id is not None and not _may_use(route, bucket_id, caller, store):
        # A caller who may read gets the same response as for a bucket that does not exist. A caller who may not read
        # gets the same response whether or not the bucket exists.
        if caller.may("read") and not _creates(route):
            raise BucketNotFound(bucket_id)
        raise Forbidden(
            f"this key has no access to bucket {bucket_id!r}",
            hint=f"it has access to {', '.join(caller.buckets.names)}",
        )


def _may_use(route: Route, bucket_id: str, caller: Caller, store: Store) -> bool:
    """Whether the caller may access the bucket. For recording, an alias counts as an id: see Guard."""
    names = caller.buckets
    return bucket_id in names and (names.is_all or route.scope == "append" or store.own_id(bucket_id) in names)


def _refusal(route: Route, caller: Caller) -> Forbidden:
    if caller.origin:
        return Forbidden("browser extensions may only read the buckets that they created")
    return Forbidden(
        f"{route.method} {route.path} needs a key with scope {route.scope} (this one has {caller.scope})",
        hint=f"dayline keys create --scope {route.scope}",
    )


def _is_own_of_extension(route: Route, params: dict[str, str], caller: Caller, store: Store) -> bool:
    """An extension may read the fields of a bucket that it created."""
    if not (caller.origin and route.audience == "extensions" and route.method in SAFE_METHODS):
        return False
    bucket = store.buckets().get(store.own_id(params.get(_BUCKET, "")))
    return bucket is not None and bucket.creator in (caller.origin, creator_name(caller))


def _creates(route: Route) -> bool:
    return route.method == "POST" and route.path.endswith("{bucket_id}")


App = falcon.asgi.App[falcon.asgi.Request, falcon.asgi.Response]


def make_app(tenants: Tenants) -> App:
    """The ASGI application. Falcon's own router is not used: one sink receives every path."""
    mimetypes.init(())  # or Falcon would read the system's tables of file types, which takes 10 ms and is not used
    app = falcon.asgi.App()
    app.req_options.auto_parse_form_urlencoded = False
    errors.register(app)
    app.add_sink(_Dispatcher(tenants, app).dispatch, prefix="")
    return app


def all_routes() -> Sequence[Route]:
    """The whole table. Loads most modules of the API on first use."""
    from dayline.api.routes import ROUTES  # here, because a server answers the first requests without it

    return ROUTES


class _RequestState:
    """The state of a request, for the audit log."""

    def __init__(self, origin: RequestOrigin, own: TenantServices) -> None:
        self.origin = origin
        self.caller = ANONYMOUS
        self.services: TenantServices | None = own  # None after the caller is known and before its data is open
        self.route: Route | None = None
        self.params: dict[str, str] = {}


class _Dispatcher:
    def __init__(self, tenants: Tenants, app: App) -> None:
        self._tenants = tenants
        self._server = tenants.own.server
        self._app = app
        self._router = GrowingRouter((*info.CALLS, *buckets.CALLS, *events.CALLS), all_routes)

    async def dispatch(self, req: falcon.asgi.Request, resp: falcon.asgi.Response | None, **_nothing: object) -> None:
        assert resp is not None  # only WebSockets have none, and we do not serve them
        request, response = req, resp
        begin_answer(request, response)
        trusted = _trusted_caller(request)
        progress = _RequestState(self._origin(request) if trusted is None else trusted.origin, self._tenants.own)
        try:
            await self._pass(request, response, progress, trusted)
        except ClientGone:
            raise  # not in the audit log: nothing was done, and the caller knows it
        except DaylineError as error:
            await self._note(request, progress, errors.status_of(error).value, error)
            raise
        except asyncio.CancelledError as error:
            # Only a server that is stopping cancels a request.
            raise Unavailable("the server is stopping", hint="retry in a few seconds") from error
        await self._note(request, progress, response.status_code)

    async def _pass(
        self,
        request: falcon.asgi.Request,
        response: falcon.asgi.Response,
        progress: _RequestState,
        trusted: Trusted | None,
    ) -> None:
        standing = self._check_entry(request, response, progress.origin) if trusted is None else Standing.TRUSTED
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
        # Routes without a scope accept invalid keys too: clients call `info` before anything else.
        if trusted is not None:
            progress.caller = trusted.caller
            check_within(route)
        elif route.scope is not None:
            progress.caller = self._server.gate.caller(self._credentials(request, path, progress.origin, standing))
        if progress.caller.kind in ("key", "session", "local"):
            request.scope.get("state", {}).get(SHOWN_KEY, _ignore)()
        usage = self._server.key_usages.of(progress.caller)
        if usage is not None:
            usage.take_request()
        services = await self._services_of(progress)
        check_permission(route, params, progress.caller, services.store)
        if route.engine == "sqlite" and not self._server.is_file:
            raise NotOnPostgres(route.summary)
        call = self._call(request, response, progress, trusted, services)
        if route.has_revision:
            call.set_revision()  # before any read, so that the data is at least as new as this revision
        await route.handler(call)

    async def _services_of(self, progress: _RequestState) -> TenantServices:
        """The services of the caller's tenant."""
        progress.services = None
        services = progress.services = await self._tenants.find(progress.caller.tenant)
        return services

    def _call(
        self,
        request: falcon.asgi.Request,
        response: falcon.asgi.Response,
        progress: _RequestState,
        trusted: Trusted | None,
        services: TenantServices,
    ) -> Call:
        caller = progress.caller
        store, access = services.store, services.access
        for once in _tokens(request, caller) if trusted is None else trusted.once:
            store, access = store.once(once), access.once(once)
        note = journal_note(request, caller)
        if request.method not in SAFE_METHODS:
            store = store.noted(note)
        return Call(
            request=request,
            response=response,
            params=progress.params,
            tenant=services,
            tenant_of=self._tenants.find,
            caller=caller,
            origin=progress.origin,
            store=store.limited_to(caller.buckets),
            access=access,
            app=self._app,
        )

    async def _note(
        self, request: falcon.asgi.Request, progress: _RequestState, status: int, error: DaylineError | None = None
    ) -> None:
        """Write the audit log. Requests for pages and unknown routes are not logged, unless they are rejected."""
        if progress.services is None:
            return  # the audit log of that tenant is not open
        route, audit_log = progress.route, progress.services.audit_log
        is_refusal = isinstance(error, Unauthorized | Forbidden | TooMany) or (route is None and error is not None)
        if not is_refusal and (route is None or route.scope is None):
            return
        name = route.name if route is not None else "-"
        bucket = progress.params.get("bucket_id", "")
        address = progress.origin.address
        is_destructive = route is not None and (route.is_destructive or request.context.get(DESTROYS, False))
        if is_destructive and error is None:
            # Names the object if it is not a bucket: an event, a key, a setting. A rejected request may contain a
            # secret by mistake, so its fields are not logged.
            name = " ".join([name, *(value[:100] for field, value in progress.params.items() if field != "bucket_id")])
            await audit_log.note_operation(progress.caller, address=address, call=name, bucket=bucket, status=status)
        else:
            audit_log.note(progress.caller, address=address, call=name, bucket=bucket, status=status)

    def _origin(self, request: falcon.asgi.Request) -> RequestOrigin:
        scope = request.scope
        return self._server.peers.origin(_peer(request), scope["headers"], scheme=scope["scheme"])

    def _check_entry(
        self, request: falcon.asgi.Request, response: falcon.asgi.Response, origin: RequestOrigin
    ) -> Standing:
        """Check the peer, the Host and the Origin. Returns what the origin may do."""
        if not self._server.peers.admits(_peer(request)):
            raise Forbidden(
                "this server can only be reached through its proxy",
                hint="call the proxy, or set up TLS with: dayline tls init",
            )
        local = request.scope["server"]
        check_host(origin.host, self._server.hosts, local_address=local[0] if local else None)
        own = own_origin(origin.scheme, origin.host) if origin.host is not None else None
        return check_origin(request, response, self._server.origins, own=own)

    def _credentials(
        self, request: falcon.asgi.Request, path: str, origin: RequestOrigin, standing: Standing
    ) -> Credentials:
        return Credentials(
            address=origin.address,
            authorization=request.get_header("Authorization"),
            browser=browser_proof(request, self._server.port, path=path),
            standing=standing,
            origin=request.get_header("Origin", default=""),
            user_refusal=request.scope["state"].get(REFUSED_USER),
        )


def _ignore() -> None:
    """For requests without a connection: inside an envelope, or from a command."""


def _trusted_caller(request: falcon.asgi.Request) -> Trusted | None:
    trusted = request.scope.get("state", {}).get(TRUSTED)
    return trusted if isinstance(trusted, Trusted) else None


def _peer(request: falcon.asgi.Request) -> str | None:
    """The remote address of the connection; None for a Unix socket."""
    client = request.scope.get("client")
    return client[0] if client and client[0] else None


def _tokens(request: falcon.asgi.Request, caller: Caller) -> tuple[Once, ...]:
    text = request.get_header(IDEMPOTENCY_KEY)
    if text is None or request.method in SAFE_METHODS:
        return ()
    return (once_of(text, caller, now=now_us()),)
