"""Sends one SMS to every number of a file, a number on each line, and prints the progress for up to a minute.

Run again within 48 hours it sends nothing twice: the idempotency key of a call is the hash of its body.

    python3 examples/python/bulk.py numbers.txt "The shop opens at nine."
"""

import hashlib
import json
import sys
import time

from signalbox import call, require_usage

NUMBERS_PER_CALL = 1_000
FOLLOWED_SECONDS = 60


def main(file, text):
    with open(file, encoding="utf-8") as lines:
        numbers = lines.read().split()
    if not numbers:
        raise ValueError(f"{file} has no numbers.")
    for start in range(0, len(numbers), NUMBERS_PER_CALL):
        to = numbers[start : start + NUMBERS_PER_CALL]
        body = {"sender": "SIGNALBX", "to": to, "text": text, "type": "TRANS", "campaignName": "example"}
        key = hashlib.sha256(json.dumps(body).encode()).hexdigest()
        sent = call("POST", "/v1/sms", body, key)
        print(sent["id"], sent["totalCount"], "accepted", flush=True)
        follow_until_ended(sent["id"])


def follow_until_ended(send_id):
    for _ in range(FOLLOWED_SECONDS):
        statuses = call("GET", f"/v1/sms/{send_id}")["data"]["statuses"]
        print(send_id, ", ".join(f"{status} {count}" for status, count in statuses.items()), flush=True)
        if statuses["Pending"] + statuses["Sent"] == 0:
            return
        time.sleep(1)


require_usage(len(sys.argv) == 3, "python3 bulk.py <file of numbers> <text>")
try:
    main(*sys.argv[1:])
except Exception as error:
    sys.exit(str(error))
