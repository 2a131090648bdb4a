"""Sends a one-time password to a number, asks for it, and checks what was typed.

    python3 examples/python/verify.py 919800000100
"""

import sys
import uuid

from signalbox import Refused, call, require_usage


def main(to):
    body = {"configId": find_or_create_config("example"), "to": to}
    verify_id = call("POST", "/v1/verify", body, str(uuid.uuid4()))["data"]
    print(f"A code is on its way to {to}. Type it:", flush=True)
    for line in sys.stdin:
        if is_correct(verify_id, line.strip()):
            break


def find_or_create_config(name):
    """Finds the settings of the codes, which are made once."""
    for config in call("GET", "/v1/verify/configs?limit=200")["data"]:
        if config["name"] == name:
            return config["id"]
    return call("POST", "/v1/verify/configs", {"name": name, "sender": "SIGNALBX"})["data"]["id"]


def is_correct(verify_id, otp):
    try:
        call("POST", "/v1/verify/validate", {"verifyId": verify_id, "otp": otp})
    except Refused as refused:
        if refused.error["code"] != "otp_incorrect":
            raise
        left = refused.error["attemptsRemaining"]
        print(f"Wrong, {left} attempts left. Type it again:", flush=True)
        return False
    print("Correct.")
    return True


require_usage(len(sys.argv) == 2, "python3 verify.py <number>")
try:
    main(sys.argv[1])
except Exception as error:
    sys.exit(str(error))
