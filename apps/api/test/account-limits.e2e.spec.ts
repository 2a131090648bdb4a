import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type AccountLimit,
  CREATIONS_PER_DAY,
  LIMITED_CREATIONS,
  type LimitedCreation,
} from '@signalbox/domain/account-limits';
import { pngFile } from '@signalbox/test/media-samples';
import { type Answer, type ApiUnderTest, type Call, expectFailure, startApi } from './api-under-test.ts';
import { BODY, findChatAccount } from './templates-under-test.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-limits-'));
const ACCOUNT = 'Demo';

let t: ApiUnderTest;
let chatAccountId: number;
let webhookId: string;

beforeAll(async () => {
  t = await startApi({ env: { MEDIA_DIR: folder } });
  chatAccountId = await findChatAccount(t);
  const webhook = { path: '/v1/webhooks', body: { name: 'n0', endPoint: 'http://127.0.0.1:8080/' } };
  webhookId = (await t.call<{ id: string }>(webhook)).body.data.id;
});
afterAll(async () => {
  await t[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const allow = (limit: AccountLimit, max: number): Promise<unknown> =>
  t.db.query(
    `UPDATE account SET limits = limits || jsonb_build_object($1::text, $2::bigint) WHERE name = $3`,
    [limit, max, ACCOUNT],
  );

const upload = (content: Buffer): Call => ({
  path: '/v1/chatapp/generateHeaderHandle',
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: Buffer.concat([
    Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n'),
    content,
    Buffer.from('\r\n--b--\r\n'),
  ]),
});

const template = (name: string, language: string, ofAccount = chatAccountId): Call => ({
  path: '/v1/chatapp/createChatTemplate',
  body: { name, language, category: 'UTILITY', chatAccountId: ofAccount, components: [BODY] },
});

/** The call that creates the i-th row of each limit. The account has a chat account, a sender and a webhook. */
const CREATE: Record<string, [limit: AccountLimit, existing: number, unit: string, (i: number) => Call]> = {
  webhooks: [
    'webhooks',
    1,
    'webhooks',
    (i) => ({ path: '/v1/webhooks', body: { name: `n${i}`, endPoint: 'http://127.0.0.1:8080/' } }),
  ],
  'chat accounts': [
    'chatAccounts',
    1,
    'chat accounts',
    (i) => ({ path: '/v1/chat-accounts', body: { name: `n${i}` } }),
  ],
  senders: [
    'senders',
    1,
    'senders',
    (i) => ({ path: `/v1/chat-accounts/${chatAccountId}/senders`, body: { msisdn: `9198000009${i}0` } }),
  ],
  'template names': [
    'templateNames',
    0,
    'template names in this chat account',
    (i) => template(`name_${i}`, 'en'),
  ],
  'SMS templates': [
    'smsTemplates',
    0,
    'SMS templates',
    (i) => ({ path: '/v1/sms/templates', body: { name: `n${i}`, text: 'Hello' } }),
  ],
  'verification configurations': [
    'verifyConfigs',
    0,
    'verification configurations',
    (i) => ({ path: '/v1/verify/configs', body: { name: `n${i}`, sender: 'SIGNALBX' } }),
  ],
  'unused files': ['unusedMedia', 0, 'files that no template uses', () => upload(pngFile())],
  cancellations: [
    'cancellations',
    0,
    'running cancellations',
    () => ({ path: '/v1/messages/cancel', body: { filter: { channel: 'sms' } } }),
  ],
  replays: [
    'replays',
    0,
    'running replays',
    () => ({ path: `/v1/webhooks/${webhookId}/replay`, body: { from: '2026-01-01T00:00:00Z' } }),
  ],
};

test.each(Object.entries(CREATE))(
  'one of two concurrent creations gets the last free place of %s',
  async (_, [limit, existing, unit, call]) => {
    await allow(limit, existing + 2);
    expect((await t.call(call(1))).status).toBeLessThan(300);

    const answers = await Promise.all([t.call(call(2)), t.call(call(3))]);

    const [made, refused] = answers.toSorted((a, b) => a.status - b.status) as [Answer, Answer];
    expect(made.status).toBeLessThan(300);
    expectFailure(refused, 403, 'limit_reached');
    expect(refused.body.message).toBe(
      `The account may have ${existing + 2} ${unit}, and this would be more (limit "${limit}").`,
    );
    await allow(limit, existing + 3);
    expect((await t.call(call(4))).status).toBeLessThan(300);
  },
);

const removeAt =
  (path: string) =>
  (id: string): Call => ({ method: 'DELETE', path: `${path}/${id}` });

/** The calls that create and delete a thing whose row is kept for a while, by its limit. */
const KEPT: [
  limit: LimitedCreation,
  create: (i: number, chatAccountId: number) => Call,
  remove: (id: string) => Call,
][] = [
  ['webhooks', CREATE['webhooks']![3], removeAt('/v1/webhooks')],
  ['chatAccounts', CREATE['chat accounts']![3], removeAt('/v1/chat-accounts')],
  [
    'templateNames',
    (_, ofAccount) => template('again', 'en', ofAccount),
    (id) => ({ path: '/v1/chatapp/deleteChatTemplate', body: { id } }),
  ],
  ['verifyConfigs', CREATE['verification configurations']![3], removeAt('/v1/verify/configs')],
  [
    'apiKeys',
    (i) => ({ path: '/v1/api-keys', body: { name: `k${i}`, scopes: ['send'] } }),
    removeAt('/v1/api-keys'),
  ],
];

test.each(KEPT)('deleted %s count for a day', async (limit, create, remove) => {
  const name = `Repeats ${limit}`;
  const apikey = await t.addKey(name);
  const call = (made: Call): Promise<Answer<{ id: string }>> => t.call({ ...made, headers: { apikey } });
  const { id } = (await call(CREATE['chat accounts']![3](0))).body.data;
  await t.db.query(`UPDATE account SET limits = jsonb_build_object($1::text, 2) WHERE name = $2`, [
    limit,
    name,
  ]);

  const answers: Answer[] = [];
  for (let i = 1; i <= 2 * CREATIONS_PER_DAY + 1; i += 1) {
    const made = await call(create(i, Number(id)));
    answers.push(made);
    if (made.status < 300) await call(remove(made.body.id ?? made.body.data.id));
  }

  const refused = answers.find(({ status }) => status >= 300)!;
  expect(answers.indexOf(refused)).toBeGreaterThan(CREATIONS_PER_DAY);
  expectFailure(refused, 403, 'limit_reached');
  expect(refused.body.message).toBe(
    `The account may create 20 ${LIMITED_CREATIONS[limit]} within 24 hours, deleted ones included, and this would be more (limit "${limit}").`,
  );
});

test('a further language of a template needs no place of its own', async () => {
  await allow('templateNames', 0);
  expectFailure(await t.call(template('name_9', 'en')), 403, 'limit_reached');
  const [{ name }] = (await t.db.query(`SELECT name FROM template LIMIT 1`)) as [{ name: string }];

  await allow('templateNames', 3);

  expect((await t.call(template(name, 'fr'))).status).toBe(200);
});

test('uploads at the same time stay within the bytes of an account', async () => {
  const [{ bytes }] = (await t.db.query(`SELECT sum(size_bytes)::integer AS bytes FROM media`)) as [
    { bytes: number },
  ];
  await allow('unusedMedia', 100);
  const form = upload(pngFile());
  await allow('mediaBytes', bytes + (form.body as Buffer).length);
  const before = readdirSync(folder).length;

  const answers = await Promise.all([t.call(form), t.call(form)]);
  const [made, refused] = answers.toSorted((a, b) => a.status - b.status) as [Answer, Answer];

  expect(made.status).toBe(200);
  expectFailure(refused, 403, 'limit_reached');
  const stored = before + 1;

  expect(readdirSync(folder)).toHaveLength(stored);
  const [{ count }] = (await t.db.query(`SELECT count(*)::integer AS count FROM media`)) as [
    { count: number },
  ];
  expect(count).toBe(stored);
});
