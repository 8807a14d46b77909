"""What a caller may do with a route: the one place where scopes and buckets are compared."""

from dayline.access.caller import Caller
from dayline.access.gate import SAFE_METHODS
from dayline.api.route import Route
from dayline.model.errors import BucketNotFound, Forbidden, Invalid, Unauthorised
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
