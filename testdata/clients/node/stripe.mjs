// Stripe's SDK for Node, as it comes, against the fake at URL: create, retrieve, list
// over pages, replay, and the classes of errors. Prints ok.
import assert from 'node:assert/strict';
import Stripe from 'stripe';

const [url, token] = process.argv.slice(2);
const {hostname, port} = new URL(url);
const client = (key) => new Stripe(key, {host: hostname, port, protocol: 'http'});
const stripe = client(token);

const charge = 'ch_3Clients1001';
const create = (amount, key) =>
  stripe.refunds.create({charge, amount, metadata: {action_id: key}}, {idempotencyKey: key});

const made = [];
for (const [i, key] of ['act-1', 'act-2', 'act-3', 'act-4', 'act-5'].entries()) {
  const refund = await create(100 + i, key);
  assert.equal(refund.status, 'succeeded');
  assert.equal(refund.amount, 100 + i);
  assert.equal(refund.metadata.action_id, key);
  made.push(refund.id);
}

const again = await create(100, 'act-1');
assert.equal(again.id, made[0]);
assert.equal(again.lastResponse.headers['idempotent-replayed'], 'true');
assert.ok(again.lastResponse.requestId);

const got = await stripe.refunds.retrieve(made[2]);
assert.equal(got.amount, 102);
assert.equal(got.charge, charge);

// Two a page, so that the SDK asks for three.
const listed = [];
for await (const refund of stripe.refunds.list({charge, limit: 2})) listed.push(refund.id);
assert.deepEqual(listed, made.toReversed());

const refused = (type, status, call) =>
  assert.rejects(call, (e) => {
    assert.ok(e instanceof Stripe.errors[type], `${e.constructor.name}, expected ${type}`);
    assert.equal(e.statusCode, status);
    return true;
  });
await refused('StripeIdempotencyError', 400, () => create(999, 'act-1'));
await refused('StripeInvalidRequestError', 400, () => stripe.refunds.create({amount: 1}));
await refused('StripeInvalidRequestError', 404, () => stripe.refunds.retrieve('re_nowhere'));
await refused('StripeAuthenticationError', 401, () => client('sk_test_other').refunds.retrieve('re_nowhere'));
console.log('ok');
