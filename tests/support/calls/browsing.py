"""A browser that is signed in: it keeps its cookie and its secret, and its pages send both."""

from tests.support.keyed_server import KeyedServer
from tests.support.server import Answer


class Browser:
    """Sign in, then call. `is_page` says whether calls come from our own pages, which send the secret in X-Dayline."""

    def __init__(self, server: KeyedServer) -> None:
        self.server = server
        self.cookie = ""
        self.secret = ""

    def sign_in(self, **shown: object) -> Answer:
        """With `key=…` or `code=…`."""
        return self.keep(self.server.call("POST", "/api/1/session", shown, headers={"User-Agent": "test-browser"}))

    def keep(self, answer: Answer) -> Answer:
        """Keep the cookie and the secret of a sign-in."""
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
            self.secret = str(answer.json["secret"])
        return answer

    def call(self, method: str, path: str, body: object = None, *, is_page: bool = True, **headers: str) -> Answer:
        shown = {"Cookie": self.cookie} if self.cookie else {}
        confirmed = {"X-Dayline": self.secret} if is_page else {}
        return self.server.call(method, path, body, headers={**shown, **confirmed, **headers})

    @property
    def token(self) -> str:
        """What the cookie holds."""
        return self.cookie.partition("=")[2]


def new_code(server: KeyedServer) -> str:
    """A one-time code, as `dayline open` gets it."""
    answer = server.as_owner("POST", "/api/1/session/codes")
    assert answer.status == 201, answer.body
    return str(answer.json["code"])


def signed_in(server: KeyedServer, key: str | None = None) -> Browser:
    """A browser signed in with a key; without one as the owner."""
    browser = Browser(server)
    answer = browser.sign_in(code=new_code(server)) if key is None else browser.sign_in(key=key)
    assert answer.status == 201, answer.body
    return browser
