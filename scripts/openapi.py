"""Prints the OpenAPI document, from which the web UI's types are made."""

import json

from dayline import __version__
from dayline.api.openapi import openapi
from dayline.api.routes import CALLS

if __name__ == "__main__":
    print(json.dumps(openapi(CALLS, version=__version__)))
