"""Run Letta on loopback without the download it tries when it starts. Runs in Letta's Python."""

import sys

import nltk

nltk.download = lambda *_, **__: True

from letta.server.rest_api.app import start_server  # noqa: E402 # after the download is off

start_server(port=int(sys.argv[1]), host="127.0.0.1")
