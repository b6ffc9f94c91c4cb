#!/usr/bin/env python3
"""A worker that makes refunds, and makes each exactly once.

It may be killed at any instruction, started several times at once on one state
directory, and handed the same work again. What makes that safe, in this order:

 1. A receipt in SQLite is claimed in one transaction, under a lease. Each claim
    has a higher fence number, and every later write names it: who lost the
    lease can write nothing more.
 2. "sent" is on disk before the request leaves. So whoever comes later knows
    that the refund may exist.
 3. The idempotency key is the action ID: the same after a crash, on another
    machine, in another process.
 4. An unknown outcome is looked up before anything is repeated. The action ID
    is stamped on the refund, so the look-up finds ours and no other.
 5. The digest of the arguments ties receipt, approval and delivery together.

Only Python's standard library is used. See docs/worker-protocol.md.
"""

import hashlib
import json
import os
import random
import socket
import sqlite3
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone

URL = os.environ["DRILL_TARGET_URL"]
TOKEN = os.environ["DRILL_TARGET_TOKEN"]
STATE = os.path.join(os.environ["DRILL_STATE_DIR"], "receipts.db")
DEADLINE = int(os.environ.get("DRILL_CLIENT_DEADLINE_MS", "300")) / 1000
LEASE = int(os.environ.get("DRILL_LEASE_MS", "400")) / 1000
RETENTION = int(os.environ.get("DRILL_KEY_RETENTION_MS", "0")) / 1000  # 0: without end
POLICY = os.environ.get("DRILL_POLICY_VERSION", "1")

MAX_ATTEMPTS = 5  # mutations for one action, over all its workers and deliveries
TRIES = 4  # look-ups, or refused connections, in one delivery
EX_TEMPFAIL = 75  # no definite end: deliver it again


class LostLease(Exception):
    """Another worker took the receipt over."""


class TryAgain(Exception):
    """This delivery comes to no definite end; a later one may."""


# --- Receipts ---------------------------------------------------------------

SCHEMA = """
CREATE TABLE IF NOT EXISTS receipts (
  action_id TEXT PRIMARY KEY, business_key TEXT, effect TEXT, digest TEXT, action TEXT,
  state TEXT,                       -- prepared, sent, unknown, confirmed, rejected, needs_review
  attempts INTEGER DEFAULT 0,       -- mutations that may have reached the target
  generation INTEGER DEFAULT 1,     -- of the idempotency key
  key_since REAL DEFAULT 0,         -- first use of the key
  last_attempt REAL DEFAULT 0, not_before REAL DEFAULT 0,
  approval_id TEXT, resource TEXT, error_class TEXT,
  fence INTEGER DEFAULT 0, lease_until REAL DEFAULT 0);
CREATE TABLE IF NOT EXISTS names (
  action_id TEXT, trigger_key TEXT, receipt TEXT, PRIMARY KEY (action_id, trigger_key));
CREATE TABLE IF NOT EXISTS approvals (id TEXT PRIMARY KEY, receipt TEXT);
"""


class transaction:
    """BEGIN IMMEDIATE: what is read inside is not changed by others before COMMIT."""

    def __init__(self, db):
        self.db = db

    def __enter__(self):
        self.db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind, *_):
        self.db.execute("ROLLBACK" if kind else "COMMIT")


def open_receipts():
    db = sqlite3.connect(STATE, timeout=10, isolation_level=None)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA synchronous = FULL")
    with transaction(db):
        for statement in SCHEMA.split(";\n"):
            db.execute(statement)
    return db


def register(db, trigger_key, actions, seen_before):
    """Gives each action its receipt; all of one delivery in one transaction.

    A producer that mints a second ID for the same trigger gets the receipt of the
    first. Two actions that one delivery brings together are two.
    """
    brought = [a["action_id"] for a in actions]
    with transaction(db):
        for a in actions:
            names = {n["trigger_key"]: n["receipt"] for n in db.execute(
                "SELECT * FROM names WHERE action_id = ?", (a["action_id"],))}
            if trigger_key in names:
                continue
            others = [r for r in db.execute(
                "SELECT DISTINCT r.* FROM receipts r JOIN names n ON n.receipt = r.action_id "
                "WHERE n.trigger_key = ?", (trigger_key,)) if r["action_id"] not in brought]
            twins = [r["action_id"] for r in others
                     if (r["business_key"], r["effect"], r["digest"]) == (a["business_key"], a["effect"], a["digest"])]
            receipt = next(iter([*names.values(), *twins, a["action_id"]]))
            db.execute("INSERT INTO names VALUES (?, ?, ?)", (a["action_id"], trigger_key, receipt))
            # No receipt is no proof: on a redelivery somebody may have sent it from
            # elsewhere, so that begins with a look-up.
            state = "needs_review" if others else "unknown" if seen_before else "prepared"
            db.execute(
                "INSERT OR IGNORE INTO receipts (action_id, business_key, effect, digest, action, state, error_class) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (receipt, a["business_key"], a["effect"], a["digest"], json.dumps(a), state,
                 "ambiguous" if others else None))


def approval_problem(db, receipt, action):
    """Says why the approval does not cover the action, or returns None."""
    p = action["approval"]
    if p.get("status") != "granted":
        return "approval is " + p.get("status", "none")
    if p.get("arguments_sha256") != action["digest"]:
        return "approval is for other arguments"
    if p.get("policy_version") != POLICY:
        return "approval is of another policy version"
    if datetime.fromisoformat(p["valid_until"].replace("Z", "+00:00")) <= datetime.now(timezone.utc):
        return "approval has expired"
    spent = db.execute("SELECT receipt FROM approvals WHERE id = ?", (p["id"],)).fetchone()
    if p.get("single_use") and spent and spent["receipt"] != receipt:
        return "approval was used for another action"
    return None


class Claim:
    """A receipt under our lease. Attributes are the receipt's columns."""

    def __init__(self, db, row, action):
        self.db, self.row, self.action = db, dict(row), action

    def __getattr__(self, column):
        return self.row[column]

    def write(self, **columns):
        """Writes columns and renews the lease, if the receipt is still ours."""
        columns.setdefault("lease_until", time.time() + LEASE)
        sets = ", ".join(c + " = ?" for c in columns)
        done = self.db.execute(f"UPDATE receipts SET {sets} WHERE action_id = ? AND fence = ?",
                               (*columns.values(), self.row["action_id"], self.row["fence"]))
        if done.rowcount == 0:
            raise LostLease
        self.row.update(columns)

    def end(self, state, **columns):
        """Writes the last state, gives the lease back, and reports it."""
        self.write(state=state, lease_until=0, **columns)
        return stored(self.row)

    def wait(self, seconds):
        """Sleeps without losing the lease."""
        until = time.time() + seconds
        while (left := until - time.time()) > 0:
            time.sleep(min(left, LEASE / 3))
            self.write()

    def key(self):
        return self.action_id if self.generation == 1 else f"{self.action_id}:g{self.generation}"


OUTCOMES = {"confirmed": "done", "rejected": "rejected", "needs_review": "needs_review"}


def stored(row):
    return {"outcome": OUTCOMES[row["state"]], "resource_id": row["resource"], "error_class": row["error_class"]}


def claim(db, action):
    """Returns a Claim, or the report of a receipt that needs or allows no work."""
    with transaction(db):
        row = db.execute("SELECT r.* FROM receipts r JOIN names n ON n.receipt = r.action_id "
                         "WHERE n.action_id = ? LIMIT 1", (action["action_id"],)).fetchone()
        changed = action["digest"] != row["digest"]
        problem = approval_problem(db, row["action_id"], action)
        again = row["state"] == "rejected" and not problem and (
            # An ID that was minted beside the first brings no new approval of it.
            row["error_class"] == "approval" or action["action_id"] == row["action_id"]
            and action["approval"]["id"] != row["approval_id"])
        if changed and not again:
            return {"outcome": "rejected", "error_class": "arguments_changed"}
        if row["state"] in OUTCOMES and not again:
            return stored(row)
        if row["lease_until"] > time.time():
            return {"outcome": "waiting", "waits_for": "worker"}
        c = Claim(db, row, action)
        db.execute("UPDATE receipts SET fence = fence + 1 WHERE action_id = ?", (c.action_id,))
        c.row["fence"] += 1
        if again:
            # A new approval of a rejected action. The target may keep the rejection under
            # the old key: the next one is used, once a look-up shows that there is no refund.
            used = c.attempts > 0 and (changed or c.error_class == "rejected_permanent")
            c.write(state="unknown" if c.attempts else "prepared", error_class=None, digest=action["digest"],
                    action=json.dumps(action), generation=c.generation + used, key_since=0)
        c.write()
        return c


# --- The target -------------------------------------------------------------

REJECTED_PERMANENT = {400, 401, 402, 403, 404, 422}
REJECTED_TRANSIENT = {429}


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """urllib would turn a redirected POST into a GET and take its answer for ours."""

    def redirect_request(self, *_):
        return None


client = urllib.request.build_opener(NoRedirect)


def call(method, path, form=None, key=None):
    """One request. Returns (class, body, replayed, Retry-After in seconds or None)."""
    headers = {"Authorization": "Bearer " + TOKEN}
    if key:
        headers["Idempotency-Key"] = key
    data = urllib.parse.urlencode(form).encode() if form else None
    request = urllib.request.Request(URL + path, data=data, headers=headers, method=method)
    try:
        try:
            answer = client.open(request, timeout=DEADLINE)
        except urllib.error.HTTPError as e:
            answer = e  # a status of 300 and more is an answer too
        with answer:
            status, replayed = answer.status, answer.headers.get("Idempotent-Replayed") == "true"
            after = answer.headers.get("Retry-After", "")
            after = int(after) if after.isdigit() else None
            body = json.loads(answer.read())
    except urllib.error.URLError as e:
        # Only what fails before a byte of the request could leave is "never dispatched".
        before = (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError)
        return ("never_dispatched" if isinstance(e.reason, before) else "unknown"), None, False, None
    except Exception:  # reset, cut, silence: nothing tells what happened
        return "unknown", None, False, None
    if not isinstance(body, dict):
        return "unknown", None, replayed, after
    if 200 <= status < 300 and body.get("object"):
        return "confirmed", body, replayed, after
    if status in REJECTED_PERMANENT and body.get("error"):
        return "rejected_permanent", body, replayed, after
    if status in REJECTED_TRANSIENT and body.get("error"):
        return "rejected_transient", body, replayed, after
    return "unknown", body, replayed, after


def look_up(c):
    """All refunds of the charge that carry our action ID: every page, or TryAgain."""
    tries, ours, last = 0, [], None
    if RETENTION and time.time() - c.key_since > RETENTION:
        # A key older than its retention is no key. Then this read alone has to prove
        # absence, and must begin when no attempt can be on its way.
        c.wait(c.last_attempt + DEADLINE - time.time())
    while True:
        c.wait(c.not_before - time.time())
        c.write()
        query = {"charge": c.action["arguments"]["charge"], "limit": 100}
        if last:
            query["starting_after"] = last
        kind, page, _, after = call("GET", "/v1/refunds?" + urllib.parse.urlencode(query))
        if kind != "confirmed":
            if (tries := tries + 1) == TRIES:
                raise TryAgain(f"look-up: {kind}")
            retry_later(c, tries, after)
            continue
        ours += [r for r in page["data"] if r.get("metadata", {}).get("action_id") == c.action_id]
        if not page["has_more"]:
            return ours
        last = page["data"][-1]["id"]


def retry_later(c, tries, after):
    if after is not None:
        c.write(not_before=time.time() + after)
    else:
        c.wait(min(0.05 * 2 ** tries, 0.4) * random.uniform(0.5, 1))


def as_approved(c, refund):
    asked = c.action["arguments"]
    return (refund.get("metadata", {}).get("action_id"), refund.get("charge"), refund.get("amount")) == \
        (c.action_id, asked["charge"], asked["amount"])


# --- One action -------------------------------------------------------------

def carry_on(c):
    """Brings a claimed receipt to its end."""
    refused, replayed = 0, False
    while True:
        if c.state in ("sent", "unknown"):
            ours = look_up(c)
            if len(ours) == 1 and as_approved(c, ours[0]):
                return c.end("confirmed", resource=ours[0]["id"])
            if ours:
                return c.end("needs_review", error_class="ambiguous")
            if replayed:
                # The key holds a stored failure and the refund does not exist: only now
                # may the next key be used.
                c.write(generation=c.generation + 1, key_since=0)
            elif RETENTION and time.time() - c.key_since > RETENTION:
                c.write(key_since=0)
        c.wait(c.not_before - time.time())

        if approval_problem(c.db, c.action_id, c.action):
            return c.end("rejected", error_class="approval", approval_id=c.action["approval"].get("id"))
        if c.attempts >= MAX_ATTEMPTS:
            return c.end("rejected", error_class="attempts_spent")
        before = c.state
        now = time.time()
        with transaction(c.db):
            approval = c.action["approval"]["id"]
            c.db.execute("INSERT OR IGNORE INTO approvals VALUES (?, ?)", (approval, c.action_id))
            # Asked again inside: another action may have spent it since.
            if approval_problem(c.db, c.action_id, c.action):
                continue
            c.write(state="sent", attempts=c.attempts + 1, last_attempt=now, key_since=c.key_since or now,
                    approval_id=approval)
        asked = c.action["arguments"]
        kind, body, replayed, after = call(
            "POST", "/v1/refunds",
            {"charge": asked["charge"], "amount": asked["amount"], "metadata[action_id]": c.action_id}, c.key())

        if kind == "confirmed":
            if as_approved(c, body):
                return c.end("confirmed", resource=body["id"])
            return c.end("needs_review", error_class="ambiguous")
        if kind == "rejected_permanent":
            return c.end("rejected", error_class=kind)
        if kind == "rejected_transient":
            c.write(state=before)  # refused: nothing was done, what was known before holds
        elif kind == "never_dispatched":
            c.write(state=before, attempts=c.attempts - 1)
            if (refused := refused + 1) == TRIES:
                raise TryAgain("connection refused")
        else:
            c.write(state="unknown")
        retry_later(c, max(c.attempts, refused), after)


def digest(arguments):
    """RFC 8785 for strings, booleans and integers: sorted, compact, UTF-8."""
    canonical = json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def handle(db, action):
    c = claim(db, action)
    if not isinstance(c, Claim):
        return c
    # A twin is carried out under the ID of the first.
    c.action = dict(action, action_id=c.action_id)
    try:
        return carry_on(c)
    except LostLease:
        return {"outcome": "waiting", "waits_for": "worker"}
    except TryAgain:
        try:
            c.write(lease_until=0)
        except LostLease:
            pass
        raise


def main():
    job = json.load(sys.stdin)
    db = open_receipts()
    if job["deliver"] == "recover":
        actions = [json.loads(r["action"]) for r in
                   db.execute("SELECT action FROM receipts WHERE state IN ('prepared', 'sent', 'unknown')")]
    else:
        actions = job["actions"]
        for a in actions:
            if a["effect"] != "refund":
                sys.exit(f"effect {a['effect']!r}: this worker makes refunds only")
            a["digest"] = digest(a["arguments"])  # our own: no sender's word is taken for it
        register(db, job["trigger_key"], actions, job["delivery"] > 1)
    status = 0
    for a in actions:
        try:
            report = handle(db, a)
        except TryAgain as e:
            print(f"{a['action_id']}: {e}", file=sys.stderr)
            status = EX_TEMPFAIL
            continue
        print(json.dumps({"action_id": a["action_id"], **{k: v for k, v in report.items() if v is not None}}),
              flush=True)
    sys.exit(status)


if __name__ == "__main__":
    main()
