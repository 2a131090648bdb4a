"""Sends one SMS to one or more numbers, and prints the id of each message.

    python3 examples/python/send.py 919800000100,919800000101 "Your order has shipped."
"""

import sys
import uuid

from signalbox import call, require_usage

require_usage(len(sys.argv) == 3, "python3 send.py <number>[,<number>…] <text>")
to, text = sys.argv[1:]
try:
    sms = {"sender": "SIGNALBX", "to": to, "text": text, "type": "TRANS"}
    sent = call("POST", "/v1/sms", sms, str(uuid.uuid4()))
    for message in sent["data"]:
        print(message["recipient"], message["messageId"])
except Exception as error:
    sys.exit(str(error))
