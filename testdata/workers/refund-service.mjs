#!/usr/bin/env node
// An ordinary service that makes refunds: POST /refunds with {"id", "charge", "amount"}.
// It knows nothing of drill; testdata/workers/refund-service.yaml says how it is asked.
//
//     REFUNDS_KEY=request   the request's id is the idempotency key
//     REFUNDS_KEY=attempt   each attempt has a key of its own

import { randomUUID } from "node:crypto";
import http from "node:http";

const { PAYMENTS_URL, PAYMENTS_TOKEN, PORT, REFUNDS_KEY } = process.env;
const ATTEMPTS = 3;
const TIMEOUT = Number(process.env.PAYMENTS_TIMEOUT_MS ?? 300);

async function attempt(request) {
  const answer = await fetch(`${PAYMENTS_URL}/v1/refunds`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${PAYMENTS_TOKEN}`,
      "Idempotency-Key": REFUNDS_KEY === "attempt" ? randomUUID() : request.id,
    },
    body: new URLSearchParams({
      charge: request.charge,
      amount: String(request.amount),
      "metadata[action_id]": request.id,
    }),
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const body = await answer.json();
  if (answer.ok) return [200, { refund: { id: body.id } }];
  if (answer.status === 400 || answer.status === 402 || answer.status === 422) return [422, { error: body.error?.code ?? "refused" }];
  throw new Error(`status ${answer.status}`);
}

async function refund(request) {
  for (let n = 1; ; n++) {
    try {
      return await attempt(request);
    } catch (e) {
      console.error(`attempt ${n}: ${e}`);
      if (n === ATTEMPTS) return [503, { error: "try again later" }];
    }
  }
}

http
  .createServer(async (request, answer) => {
    if (request.url === "/healthz") return answer.end("ok");
    let text = "";
    for await (const part of request) text += part;
    const [status, body] = await refund(JSON.parse(text));
    answer.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  })
  .listen(Number(PORT), "127.0.0.1");
