"""Creates a chat-app template, waits for its review, sends it, and prints the status of the message.

The chat account 100001 and its number 15550100001 are those of the demo account.

    python3 examples/python/chat_template.py 919800000100 Asha
"""

import sys
import time
import uuid

from signalbox import call, require_usage

BODY = {"type": "BODY", "text": "Hi {{1}}, your order is on its way.", "example": {"body_text": [["Asha"]]}}
TEMPLATE = {
    "name": "example_shipped",
    "category": "UTILITY",
    "language": "en",
    "chatAccountId": "100001",
    "components": [BODY],
}


def main(to, name):
    create_template()
    message = {"from": "15550100001", "to": to, "type": "template", "templateName": TEMPLATE["name"]}
    message["components"] = {"body": {"params": [name]}}
    sent = call("POST", "/v1/chatapp", message, str(uuid.uuid4()))
    message_id = sent["data"][0]["messageId"]
    poll(f"/v1/messages/{message_id}", ["Pending", "Sent"], message_id)


def create_template():
    """Creates the template, if it does not exist, and waits for its review."""
    found = call("GET", f"/v1/chatapp/chatTemplateList?name={TEMPLATE['name']}&chatAccountId=100001")["data"]
    if found:
        template_id = found[0]["id"]
    else:
        template_id = call("POST", "/v1/chatapp/createChatTemplate", TEMPLATE, str(uuid.uuid4()))["id"]
    poll(f"/v1/chatapp/getChatTemplate?id={template_id}", ["Pending"], TEMPLATE["name"])


def poll(path, unfinished, label):
    """Reads once a second, and prints the status, until it is none of the unfinished ones."""
    while True:
        status = call("GET", path)["data"]["status"]
        print(label, status, flush=True)
        if status not in unfinished:
            return
        time.sleep(1)


require_usage(len(sys.argv) == 3, "python3 chat_template.py <number> <name>")
try:
    main(*sys.argv[1:])
except Exception as error:
    sys.exit(str(error))
