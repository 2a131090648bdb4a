import { expect, test } from '@jest/globals';
import { chatSimulatorCallback, signChatCallback } from '@signalbox/gateways/simulator/chat-callback';
import { type Call, startSharedApi } from './api-under-test.ts';
import { locksOf } from './locks-under-test.ts';
import { PEPPER, askCode, createConfig, storeVerification, tryCode } from './verify-under-test.ts';

const SECRET = 'the-secret-of-today';

/** Connections of the api besides those that accept, read or ping: one more than an account may use for writes. */
const POOL_SIZE = 4;

const t = await startSharedApi({
  env: {
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    CALLBACK_SECRETS: `chat-simulator:${SECRET}`,
    OTP_PEPPER: PEPPER,
  },
});
const { lockRows, untilWaiting } = locksOf(t);

const ENDPOINT = 'http://127.0.0.1:8080/';

/** Names of the calls whose rows a test locks, each with the call number n of an account. */
const WRITES: [string, (webhookId: string, n: number) => Call][] = [
  ['changes of a webhook', (id) => ({ method: 'PATCH', path: `/v1/webhooks/${id}`, body: { name: 'new' } })],
  ['creations', (_, n) => ({ path: '/v1/webhooks', body: { name: `w${n}`, endPoint: ENDPOINT } })],
  ['pulls of a webhook', (id) => ({ path: `/v1/webhooks/${id}/pull`, body: { limit: 1 } })],
];

test.each(WRITES)(
  '%s of an account leave a connection to codes, callbacks and others',
  async (name, write) => {
    const [apikey, quiet] = [await t.addKey(`Busy ${name}`), await t.addKey('Quiet')];
    const headers = { apikey };
    const webhook = { path: '/v1/webhooks', headers, body: { name: 'busy', endPoint: ENDPOINT } };
    const webhookId = (await t.call<{ id: string }>(webhook)).body.data.id;
    const configId = await createConfig(t);
    const sent = await storeVerification(t.db);
    await using lock = await lockRows(
      `SELECT FROM webhook JOIN account a ON a.id = account_id WHERE a.name = 'Busy ${name}' FOR UPDATE`,
    );
    const waiting = Array.from({ length: 3 * POOL_SIZE }, (_, n) =>
      t.call({ headers, ...write(webhookId, n) }),
    );
    let ended = 0;
    for (const each of waiting) void each.finally(() => (ended += 1));
    await untilWaiting('api', POOL_SIZE - 1);

    const callback = chatSimulatorCallback({});
    const answers = {
      code: await askCode(t, configId, '919800000177'),
      attempt: await tryCode(t, sent.id, sent.code),
      callback: await t.call({
        path: '/v1/callbacks/chat-simulator',
        headers: { apikey: null, ...signChatCallback(callback, SECRET) },
        body: callback,
      }),
      write: await t.call({
        path: '/v1/webhooks',
        headers: { apikey: quiet },
        body: { name: `beside ${name}`, endPoint: ENDPOINT },
      }),
    };
    expect(ended).toBe(0);
    await lock.release();

    expect(Object.entries(answers).map(([of, { status }]) => [of, status])).toEqual([
      ['code', 200],
      ['attempt', 200],
      ['callback', 200],
      ['write', 201],
    ]);
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 400)).toEqual([]);
  },
);
