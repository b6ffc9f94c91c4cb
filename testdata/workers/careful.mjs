#!/usr/bin/env node
// A worker that makes refunds, and makes each exactly once: careful.py in Node,
// for Node 20 and later, with nothing but what Node ships.
//
// Node 20 has no database, so receipts are files, one a version, never rewritten:
// receipts/<action>/<version>.json. A version is written under a temporary name,
// synced, and linked to its own; link(2) refuses a name that exists, so of two
// processes that write one version only one wins, and a file is whole or not
// there. That one compare-and-swap is the claim, the lease, the fence and the
// state: who lost the lease finds the next version taken.
// See docs/worker-protocol.md.

import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const env = process.env;
const URL = env.DRILL_TARGET_URL;
const TOKEN = env.DRILL_TARGET_TOKEN;
const DEADLINE = Number(env.DRILL_CLIENT_DEADLINE_MS ?? 300);
const LEASE = Number(env.DRILL_LEASE_MS ?? 400);
const RETENTION = Number(env.DRILL_KEY_RETENTION_MS ?? 0) || Infinity;
const POLICY = env.DRILL_POLICY_VERSION ?? "1";

const MAX_ATTEMPTS = 5; // mutations for one action, over all its workers and deliveries
const TRIES = 4; // look-ups, or refused connections, in one delivery
const EX_TEMPFAIL = 75; // no definite end: deliver it again

class LostLease extends Error {} // another worker took the receipt over
class TryAgain extends Error {} // this delivery comes to no definite end; a later one may

// --- Files that keep their versions ------------------------------------------

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

class Versions {
  constructor(kind, name) {
    this.dir = path.join(env.DRILL_STATE_DIR, kind, name);
    fs.mkdirSync(this.dir, { recursive: true });
  }

  // The newest version and what it holds; version 0 holds null.
  read() {
    const version = Math.max(0, ...fs.readdirSync(this.dir).filter((f) => f.endsWith(".json")).map(parseFloat));
    const value = version ? JSON.parse(fs.readFileSync(path.join(this.dir, `${version}.json`), "utf8")) : null;
    return { version, value };
  }

  // Writes one version, durably. False: somebody else has written it.
  write(version, value) {
    const temporary = path.join(this.dir, `${randomUUID()}.tmp`);
    const file = fs.openSync(temporary, "wx");
    fs.writeSync(file, JSON.stringify(value));
    fs.fsyncSync(file);
    fs.closeSync(file);
    try {
      fs.linkSync(temporary, path.join(this.dir, `${version}.json`));
    } catch (e) {
      if (e.code === "EEXIST") return false;
      throw e;
    } finally {
      fs.unlinkSync(temporary);
    }
    const dir = fs.openSync(this.dir, "r");
    fs.fsyncSync(dir);
    fs.closeSync(dir);
    return true;
  }

  // Reads, decides, writes, and begins again if another came first.
  update(decide) {
    for (;;) {
      const { version, value } = this.read();
      const next = decide(value);
      if (next === undefined) return value;
      if (this.write(version + 1, next)) return next;
    }
  }
}

const versions = (kind, id) => new Versions(kind, sha256(id));

// --- Receipts ------------------------------------------------------------------

// Says by which receipt each action goes; all of one delivery at once. A producer
// that mints a second ID for the same trigger gets the receipt of the first. Two
// actions that one delivery brings together are two.
function register(triggerKey, actions) {
  const brought = new Set(actions.map((a) => a.action_id));
  const { names } = versions("triggers", triggerKey).update((trigger) => {
    const names = { ...trigger?.names };
    for (const a of actions) {
      if (names[a.action_id]) continue;
      const others = Object.values(names).filter((n) => !brought.has(n.receipt));
      const twin = others.find(
        (n) => n.business_key === a.business_key && n.effect === a.effect && n.digest === a.digest);
      const { business_key, effect, digest } = a;
      names[a.action_id] = versions("names", a.action_id).read().value ?? twin ??
        { receipt: a.action_id, business_key, effect, digest, odd: others.length > 0 };
    }
    return Object.keys(names).length > Object.keys(trigger?.names ?? {}).length ? { names } : undefined;
  });
  // The first name that an action got holds under every trigger.
  return actions.map((a) => versions("names", a.action_id).update((n) => (n ? undefined : names[a.action_id])));
}

// Says why the approval does not cover the action, or returns undefined.
function approvalProblem(receipt, action) {
  const p = action.approval ?? {};
  if (p.status !== "granted") return `approval is ${p.status ?? "none"}`;
  if (p.arguments_sha256 !== action.digest) return "approval is for other arguments";
  if (p.policy_version !== POLICY) return "approval is of another policy version";
  if (!(Date.parse(p.valid_until) > Date.now())) return "approval has expired";
  const spent = versions("approvals", p.id).read().value;
  if (p.single_use && spent && spent.receipt !== receipt) return "approval was used for another action";
}

// A receipt under our lease.
class Claim {
  constructor(file, version, row, action) {
    Object.assign(this, { file, version, row, action });
  }

  // Writes columns and renews the lease, if the receipt is still ours.
  write(columns = {}) {
    const row = { ...this.row, lease_until: Date.now() + LEASE, ...columns };
    if (!this.file.write(this.version + 1, row)) throw new LostLease();
    this.version++;
    this.row = row;
  }

  // Writes the last state, gives the lease back, and reports it.
  end(state, columns = {}) {
    this.write({ state, lease_until: 0, ...columns });
    return stored(this.row);
  }

  // Sleeps without losing the lease. A timer may fire early: the clock decides.
  async waitUntil(time) {
    for (let left; (left = time - Date.now()) > 0; ) {
      await sleep(Math.min(left, LEASE / 3));
      this.write();
    }
  }

  key() {
    const { action_id, generation } = this.row;
    return generation === 1 ? action_id : `${action_id}:g${generation}`;
  }

  keyIsOld() {
    return Date.now() - this.row.key_since > RETENTION;
  }
}

const OUTCOMES = { confirmed: "done", rejected: "rejected", needs_review: "needs_review" };

const stored = (row) => ({
  outcome: OUTCOMES[row.state], resource_id: row.resource, error_class: row.error_class,
});

const WAITING = { outcome: "waiting", waits_for: "worker" };

// Returns a Claim, or the report of a receipt that needs or allows no work.
function claim(name, action, seenBefore) {
  const file = versions("receipts", name.receipt);
  let { version, value: row } = file.read();
  if (!row) {
    // No receipt is no proof: on a redelivery somebody may have sent it from
    // elsewhere, so that begins with a look-up.
    const state = name.odd ? "needs_review" : seenBefore ? "unknown" : "prepared";
    row = {
      action_id: name.receipt, action, digest: action.digest, state,
      attempts: 0, generation: 1, key_since: 0, last_attempt: 0, not_before: 0, lease_until: 0,
    };
    if (name.odd) row.error_class = "ambiguous";
  }
  const changed = action.digest !== row.digest;
  const again = row.state === "rejected" && !approvalProblem(name.receipt, action) &&
    // An ID that was minted beside the first brings no new approval of it.
    (row.error_class === "approval" || (action.action_id === row.action_id && action.approval.id !== row.approval_id));
  if (changed && !again) return { outcome: "rejected", error_class: "arguments_changed" };
  if (OUTCOMES[row.state] && !again) return stored(row);
  if (row.lease_until > Date.now()) return WAITING;
  if (again) {
    // A new approval of a rejected action. The target may keep the rejection under
    // the old key: the next one is used, once a look-up shows that there is no refund.
    const used = row.attempts > 0 && (changed || row.error_class === "rejected_permanent");
    row = {
      ...row, action, digest: action.digest, error_class: undefined, key_since: 0,
      state: row.attempts ? "unknown" : "prepared", generation: row.generation + (used ? 1 : 0),
    };
  }
  // A twin is carried out under the ID of the first.
  const c = new Claim(file, version, row, { ...action, action_id: name.receipt });
  c.write();
  return c;
}

// --- The target ------------------------------------------------------------------

const REJECTED_PERMANENT = [400, 401, 402, 403, 404, 422];
const REJECTED_TRANSIENT = [429];
// What fails before a byte of the request could leave. All else is unknown.
const NEVER_DISPATCHED = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID"];

// One request. Returns { kind, body, replayed, after }; after is in milliseconds.
async function call(method, url, form, key) {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  if (key) headers["Idempotency-Key"] = key;
  const request = new Request(URL + url, {
    method, headers, redirect: "manual", body: form && new URLSearchParams(form),
  });
  let status, body, replayed, after;
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(DEADLINE) });
    status = answer.status;
    replayed = answer.headers.get("idempotent-replayed") === "true";
    const seconds = answer.headers.get("retry-after");
    after = /^\d+$/.test(seconds ?? "") ? seconds * 1000 : undefined;
    body = JSON.parse(await answer.text());
  } catch (e) {
    return { kind: NEVER_DISPATCHED.includes(e.cause?.code) ? "never_dispatched" : "unknown" };
  }
  let kind = "unknown";
  if (status >= 200 && status < 300 && body?.object) kind = "confirmed";
  else if (REJECTED_PERMANENT.includes(status) && body?.error) kind = "rejected_permanent";
  else if (REJECTED_TRANSIENT.includes(status) && body?.error) kind = "rejected_transient";
  return { kind, body, replayed, after };
}

// All refunds of the charge that carry our action ID: every page, or TryAgain.
async function lookUp(c) {
  // A key older than its retention is no key. Then this read alone has to prove
  // absence, and must begin when no attempt can be on its way.
  if (c.keyIsOld()) await c.waitUntil(c.row.last_attempt + DEADLINE);
  const ours = [];
  let last;
  for (let tries = 0; ; ) {
    await c.waitUntil(c.row.not_before);
    c.write();
    const query = new URLSearchParams({ charge: c.action.arguments.charge, limit: 100 });
    if (last) query.set("starting_after", last);
    const { kind, body, after } = await call("GET", `/v1/refunds?${query}`);
    if (kind !== "confirmed") {
      if (++tries === TRIES) throw new TryAgain(`look-up: ${kind}`);
      await retryLater(c, tries, after);
      continue;
    }
    ours.push(...body.data.filter((r) => r.metadata?.action_id === c.row.action_id));
    if (!body.has_more) return ours;
    last = body.data.at(-1).id;
  }
}

async function retryLater(c, tries, after) {
  if (after !== undefined) c.write({ not_before: Date.now() + after });
  else await c.waitUntil(Date.now() + Math.min(50 * 2 ** tries, 400) * (0.5 + Math.random() / 2));
}

const asApproved = (c, refund) =>
  refund.metadata?.action_id === c.row.action_id &&
  refund.charge === c.action.arguments.charge &&
  refund.amount === c.action.arguments.amount;

// --- One action --------------------------------------------------------------------

// Brings a claimed receipt to its end.
async function carryOn(c) {
  for (let refused = 0, replayed = false; ; ) {
    if (c.row.state === "sent" || c.row.state === "unknown") {
      const ours = await lookUp(c);
      if (ours.length === 1 && asApproved(c, ours[0])) return c.end("confirmed", { resource: ours[0].id });
      if (ours.length) return c.end("needs_review", { error_class: "ambiguous" });
      // The key holds a stored failure and the refund does not exist: only now may the
      // next key be used.
      if (replayed) c.write({ generation: c.row.generation + 1, key_since: 0 });
      else if (c.keyIsOld()) c.write({ key_since: 0 });
    }
    await c.waitUntil(c.row.not_before);

    const approval = c.action.approval.id;
    // Taken before it is asked about, so that of two actions one gets it.
    if (!approvalProblem(c.row.action_id, c.action))
      versions("approvals", approval).update((a) => (a ? undefined : { receipt: c.row.action_id }));
    if (approvalProblem(c.row.action_id, c.action))
      return c.end("rejected", { error_class: "approval", approval_id: approval });
    if (c.row.attempts >= MAX_ATTEMPTS) return c.end("rejected", { error_class: "attempts_spent" });

    const before = c.row.state;
    const now = Date.now();
    c.write({
      state: "sent", attempts: c.row.attempts + 1, last_attempt: now, key_since: c.row.key_since || now,
      approval_id: approval,
    });
    const { charge, amount } = c.action.arguments;
    const answer = await call("POST", "/v1/refunds",
      { charge, amount, "metadata[action_id]": c.row.action_id }, c.key());
    replayed = answer.replayed;

    switch (answer.kind) {
      case "confirmed":
        if (asApproved(c, answer.body)) return c.end("confirmed", { resource: answer.body.id });
        return c.end("needs_review", { error_class: "ambiguous" });
      case "rejected_permanent":
        return c.end("rejected", { error_class: answer.kind });
      case "rejected_transient":
        c.write({ state: before }); // refused: nothing was done, what was known before holds
        break;
      case "never_dispatched":
        c.write({ state: before, attempts: c.row.attempts - 1 });
        if (++refused === TRIES) throw new TryAgain("connection refused");
        break;
      default:
        c.write({ state: "unknown" });
    }
    await retryLater(c, Math.max(c.row.attempts, refused), answer.after);
  }
}

// RFC 8785 for strings, booleans and integers: sorted, compact, UTF-8.
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((k) => `${JSON.stringify(k)}:${canonical(value[k])}`)}}`;
}

async function handle(name, action, seenBefore) {
  let c;
  try {
    c = claim(name, action, seenBefore);
    return c instanceof Claim ? await carryOn(c) : c;
  } catch (e) {
    if (e instanceof LostLease) return WAITING;
    if (e instanceof TryAgain) {
      try {
        c.write({ lease_until: 0 });
      } catch (lost) {
        if (!(lost instanceof LostLease)) throw lost;
      }
    }
    throw e;
  }
}

// What earlier lives left unfinished, when a worker is started with nothing to do.
function unfinished() {
  const dir = path.join(env.DRILL_STATE_DIR, "receipts");
  if (!fs.existsSync(dir)) return [];
  return fs.readdirSync(dir)
    .map((name) => new Versions("receipts", name).read().value)
    .filter((row) => row && !OUTCOMES[row.state])
    .map((row) => [{ receipt: row.action_id }, row.action]);
}

const job = JSON.parse(fs.readFileSync(0, "utf8"));
let work;
if (job.deliver === "recover") {
  work = unfinished();
} else {
  for (const a of job.actions) {
    if (a.effect !== "refund") throw new Error(`effect ${a.effect}: this worker makes refunds only`);
    a.digest = `sha256:${sha256(canonical(a.arguments))}`; // our own: no sender's word is taken for it
  }
  const names = register(job.trigger_key, job.actions);
  work = job.actions.map((a, i) => [names[i], a]);
}
for (const [name, action] of work) {
  try {
    console.log(JSON.stringify({ action_id: action.action_id, ...(await handle(name, action, job.delivery > 1)) }));
  } catch (e) {
    if (!(e instanceof TryAgain)) throw e;
    console.error(`${action.action_id}: ${e.message}`);
    process.exitCode = EX_TEMPFAIL;
  }
}
