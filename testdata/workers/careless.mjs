#!/usr/bin/env node
// A worker as it is often written: it does send a key, and retries under it. But
// the key dies with the process, the record is made after the call, and nobody
// asks whether these are the arguments that were approved.

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const env = process.env;
const record = path.join(env.DRILL_STATE_DIR, "refunds.json");
const refunds = fs.existsSync(record) ? JSON.parse(fs.readFileSync(record, "utf8")) : {};

async function refund({ action_id, arguments: { charge, amount } }) {
  const key = randomUUID();
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await fetch(`${env.DRILL_TARGET_URL}/v1/refunds`, {
        method: "POST",
        headers: { Authorization: `Bearer ${env.DRILL_TARGET_TOKEN}`, "Idempotency-Key": key },
        body: new URLSearchParams({ charge, amount, "metadata[action_id]": action_id }),
        signal: AbortSignal.timeout(Number(env.DRILL_CLIENT_DEADLINE_MS ?? 300)),
      });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return (await answer.json()).id;
    } catch (e) {
      console.error(`attempt ${attempt}: ${e.message}`);
      if (attempt === 4) process.exit(1);
      await sleep(50);
    }
  }
}

for (const action of JSON.parse(fs.readFileSync(0, "utf8")).actions ?? []) {
  refunds[action.action_id] ??= await refund(action);
  fs.writeFileSync(`${record}.${process.pid}`, JSON.stringify(refunds));
  fs.renameSync(`${record}.${process.pid}`, record);
  console.log(JSON.stringify({
    action_id: action.action_id, outcome: "done", resource_id: refunds[action.action_id],
  }));
}
