#!/usr/bin/env python3
"""A worker as it is often written. It works, until something breaks: every
attempt has a key of its own, whatever fails is sent again, and the record is
made after the call."""

import json
import os
import sqlite3
import sys
import time
import urllib.parse
import urllib.request
import uuid

URL = os.environ["DRILL_TARGET_URL"]
TOKEN = os.environ["DRILL_TARGET_TOKEN"]
TIMEOUT = int(os.environ.get("DRILL_CLIENT_DEADLINE_MS", "300")) / 1000


def refund(action):
    form = {
        "charge": action["arguments"]["charge"],
        "amount": action["arguments"]["amount"],
        "metadata[action_id]": action["action_id"],
    }
    request = urllib.request.Request(
        URL + "/v1/refunds",
        data=urllib.parse.urlencode(form).encode(),
        headers={"Authorization": "Bearer " + TOKEN, "Idempotency-Key": str(uuid.uuid4())},
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        return json.load(answer)["id"]


def with_retries(action):
    for attempt in range(5):
        try:
            return refund(action)
        except Exception as e:
            print(f"attempt {attempt + 1}: {e}", file=sys.stderr)
            time.sleep(0.05)
    sys.exit(1)


db = sqlite3.connect(os.path.join(os.environ["DRILL_STATE_DIR"], "refunds.db"), timeout=10)
db.execute("CREATE TABLE IF NOT EXISTS refunds (action_id TEXT PRIMARY KEY, refund_id TEXT)")

for action in json.load(sys.stdin).get("actions", []):
    row = db.execute("SELECT refund_id FROM refunds WHERE action_id = ?", (action["action_id"],)).fetchone()
    refund_id = row[0] if row else with_retries(action)
    with db:
        db.execute("INSERT OR REPLACE INTO refunds VALUES (?, ?)", (action["action_id"], refund_id))
    print(json.dumps({"action_id": action["action_id"], "outcome": "done", "resource_id": refund_id}), flush=True)
