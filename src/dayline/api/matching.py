"""`If-Match`: a change that is made only while its object is still as the client has seen it."""

from hashlib import blake2b

import msgspec

from dayline.api.call import Call
from dayline.model.errors import Stale


def tag_of(value: object) -> str:
    """The strong ETag of what clients are told about an object."""
    return f'"{blake2b(msgspec.json.encode(value), digest_size=12).hexdigest()}"'


def check_match(call: Call, value: object, *, name: str) -> None:
    """Raise Stale where the client has seen another state of it than this; nothing where it does not say."""
    wanted = call.request.get_header("If-Match")
    if wanted is None or wanted.strip() == "*" or tag_of(value) in (tag.strip() for tag in wanted.split(",")):
        return
    raise Stale(f"{name} was changed in the meantime", hint="read it again, and decide anew")
