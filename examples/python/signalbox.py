"""Calls of the Signalbox API for the other examples of this folder. Needs Python 3.9 or newer and nothing else."""

import json
import os
import sys
import time
import urllib.error
import urllib.request

TRIES = 5
URL, API_KEY = os.environ.get("SIGNALBOX_URL", "").rstrip("/"), os.environ.get("SIGNALBOX_API_KEY")


def require_usage(is_given, usage):
    """Ends the program with its usage, or when the address or the key of the API is missing."""
    if not (is_given and URL and API_KEY):
        sys.exit(f"Usage: SIGNALBOX_URL=… SIGNALBOX_API_KEY=… {usage}")


class Refused(Exception):
    """A refused request, with the `error` of the answer."""

    def __init__(self, status, error):
        super().__init__(f"{status} {error['code']}: {error['message']} (request {error['requestId']})")
        self.error = error


def call(method, path, body=None, idempotency_key=None):
    """Makes a call and returns the body of its answer.

    Tries again when that may help: the same idempotency key makes all tries one send.
    """
    headers = {"apikey": API_KEY, "content-type": "application/json"}
    if idempotency_key:
        headers["idempotency-key"] = idempotency_key
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(1, TRIES + 1):
        request = urllib.request.Request(URL + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as answer:
            failure = read_failure(answer)
            if isinstance(failure, Refused) and not failure.error["retryable"]:
                raise failure from None
            wait_seconds = int(answer.headers.get("retry-after", 1))
        except (OSError, ValueError) as error:  # the request may have arrived: the key makes the repeat harmless
            failure, wait_seconds = ConnectionError(f"No answer: {error}"), 1
        if attempt < TRIES:
            print(f"{failure} (trying again in {wait_seconds} s)", file=sys.stderr)
            time.sleep(wait_seconds)
    raise failure


def read_failure(answer):
    """Returns the refusal of an answer. During an outage a proxy answers without one."""
    try:
        return Refused(answer.code, json.load(answer)["error"])
    except (KeyError, TypeError, ValueError):
        return ConnectionError(f"No answer of the API, but {answer.code}")
