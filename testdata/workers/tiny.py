#!/usr/bin/env python3
"""The least worker that survives a kill while the target keeps its key: one
keyed call an action, no state, no waiting. Anything but a refund is a failed
delivery, so that it is delivered again."""

import http.client
import json
import os
import sys
from urllib.parse import urlencode, urlsplit

url = urlsplit(os.environ["DRILL_TARGET_URL"])
connect = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection

for action in json.load(sys.stdin)["actions"]:
    form = {**action["arguments"], "metadata[action_id]": action["action_id"]}
    client = connect(url.netloc, timeout=int(os.environ["DRILL_CLIENT_DEADLINE_MS"]) / 1000)
    client.request("POST", url.path + "/v1/refunds", urlencode(form), {
        "Authorization": "Bearer " + os.environ["DRILL_TARGET_TOKEN"],
        "Content-Type": "application/x-www-form-urlencoded",
        "Idempotency-Key": action["action_id"],
    })
    answer = client.getresponse()
    body = answer.read()
    if answer.status != 200:
        sys.exit(f"{action['action_id']}: status {answer.status}")
    print(json.dumps({"action_id": action["action_id"], "outcome": "done", "resource_id": json.loads(body)["id"]}),
          flush=True)
