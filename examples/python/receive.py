"""Prints each delivery report and chat-app event once, after a check of the signature over the raw body.

    WEBHOOK_SECRET=whsec_… python3 examples/python/receive.py [port]
"""

import base64
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS, MAX_BODY_BYTES = 300, 1024 * 1024
SECRET = os.environ.get("WEBHOOK_SECRET", "")
if not SECRET.startswith("whsec_"):
    sys.exit("Usage: WEBHOOK_SECRET=whsec_… python3 receive.py [port]")
KEY = base64.b64decode(SECRET[len("whsec_") :])
seen = {}  # in production: a unique column, written in the transaction that handles the report


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers.get("content-length", 0))
        body = self.rfile.read(size) if 0 <= size <= MAX_BODY_BYTES else b""
        is_genuine = is_signed(self.headers, body)
        call = json.loads(body) if is_genuine else []  # a batch is an array, each report in it with its own id
        for report in call if isinstance(call, list) else [{"id": self.headers["webhook-id"], "body": call}]:
            if seen.setdefault(report["id"], report) is report:  # in one step: calls come in threads
                print(line_of(report["body"]) + "\n", end="", flush=True)  # in one write
        self.send_response(204 if is_genuine else 401)  # a 2xx ends the push; anything else causes a retry
        self.end_headers()

    def log_message(self, *_):
        pass


def is_signed(headers, body):
    """True when one of the signatures is valid and the call is not an old one."""
    at = headers.get("webhook-timestamp", "")
    if not at.isdigit() or abs(time.time() - int(at)) > TOLERANCE_SECONDS:
        return False
    signed = f"{headers.get('webhook-id', '')}.{at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, signed, "sha256"))
    return any(hmac.compare_digest(each.encode(), expected) for each in headers.get("webhook-signature", "").split(" "))


def line_of(report):
    """The report of an SMS, or the event of a chat-app message."""
    if data := report.get("data"):
        return f"{report['type']} {data['messageId']} {data['from']} > {data['to']} {data['status']}"
    return " ".join(report[name] for name in ("messageId", "mobileNumber", "status", "errCode", "statusDescription"))


try:
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8080), Receiver)
except OSError as error:
    sys.exit(f"{error.strerror}. Name another port.")
print(f"Listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
