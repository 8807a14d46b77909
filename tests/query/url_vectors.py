"""URLs and what becomes of them, as the protocol has them (section 12.8): domain, path and query string."""

from typing import Final

URL_VECTORS: Final = [
    ("http://www.site.org/p;v=1?q=1#f", "site.org", "/p;v=1", "q=1"),
    ("https://u:p@Sub.Site.org:8080", "sub.site.org", "/", ""),
    ("file:///docs/a.pdf", "file", "/docs/a.pdf", ""),
    ("about:blank", "about", "blank", ""),
    ("http://www.www.x.org/", "x.org", "/", ""),
    ("http://[::1]:80/x", "[::1]", "/x", ""),
]
