import { beforeAll, expect, test } from '@jest/globals';
import { insertInbounds } from '@signalbox/database/chat/inbound-messages';
import { insertInboundSms } from '@signalbox/database/gateways/inbound-sms';
import { fanOut, insertSubmissions } from '@signalbox/database/submissions/submissions';
import { newChat, newInbound, newSubmission } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { Carriers } from '@signalbox/database/ops/carriers';
import type { ApiConfig } from '../src/config.ts';
import { ConversationsService } from '../src/conversations/conversations.service.ts';
import { Cursors } from '../src/http/cursor.ts';
import { MessageContents } from '../src/messages/message-contents.ts';
import { type Answer, GOOD_SMS, expectFailure, startSharedApi } from './api-under-test.ts';

interface Conversation {
  sender: string;
  recipient: string;
  lastInbound: { id: string; text: { body: string } };
  sessionOpenUntil: string | null;
  lastMessage: { messageId: string } | null;
  isAnswered: boolean;
}

interface Entry {
  direction: string;
  inbound: { text: { body: string } } | null;
  message: { messageId: string } | null;
  content: { text: string | null } | null;
}

interface Found {
  kind: string;
  id: string;
  label: string;
  detail: string | null;
  link: string;
}

const OURS = '15550100001';
const ANNA = '919800000501';
const BEN = '919800000502';

let accountId: string;
let answerId: string;

const get = <D>(path: string, apikey = t.p.apiKey): Promise<Answer<D>> =>
  t.call({ method: 'GET', path, headers: { apikey } });

async function write(from: string, body: string, at = new Date()): Promise<string> {
  const message = newInbound({ from, to: OURS, content: { text: { body } }, sentAt: at, receivedAt: at });
  await insertInbounds(t.db, [message]);
  return message.id;
}

async function answer(recipient: string, body: string, given: object = {}): Promise<string> {
  const chat = newChat({ accountId, recipients: [recipient], content: { text: { body } }, ...given });
  await insertSubmissions(t.db, [chat]);
  await fanOut(t.db, [chat.id], 60);
  await t.db.query(
    `INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until, sent_at)
     VALUES ($1, 1, $2, $3, 'SENT', 1, now(), now())
     ON CONFLICT DO NOTHING`,
    [chat.id, accountId, recipient],
  );
  return chat.id;
}

const t = await startSharedApi();

beforeAll(async () => {
  [{ id: accountId }] = (await t.db.query(`SELECT id FROM account LIMIT 1`)) as [{ id: string }];
  await write(ANNA, 'Hello?');
  await answer(ANNA, 'One moment');
  answerId = await answer(ANNA, 'Good morning, Anna');
  await answer(ANNA, 'From another number', { sender: '15550100009' });
  await write(BEN, 'Where is my order?');
  await answer(BEN, '471100', { lane: 'CHAT_OTP' });
  await write(BEN, 'Thanks');
});

test('a conversation is found by its sender and its recipient', async () => {
  const found = await get<Conversation[]>(`/v1/conversations?sender=${OURS}&recipient=%2B${ANNA}&limit=1`);
  expect(found.body.data).toMatchObject([{ sender: OURS, recipient: ANNA }]);
  const other = await get<Conversation[]>(`/v1/conversations?sender=15550100009&recipient=${ANNA}`);
  expect(other.body.data).toEqual([]);
});

test('conversations are listed by their newest inbound message, with the session and the answer', async () => {
  const { body } = await get<Conversation[]>('/v1/conversations');

  expect(body.data).toMatchObject([
    { sender: OURS, recipient: BEN, lastInbound: { text: { body: 'Thanks' } }, isAnswered: false },
    {
      sender: OURS,
      recipient: ANNA,
      sessionOpenUntil: expect.any(String),
      lastMessage: { messageId: `${answerId}:1` },
      isAnswered: true,
    },
  ]);
});

test('conversations are paged and filtered', async () => {
  const first = await get<Conversation[]>('/v1/conversations?limit=1');
  const second = await get<Conversation[]>(`/v1/conversations?limit=1&cursor=${first.body.nextCursor}`);
  const count = async (query: string) =>
    (await get<Conversation[]>(`/v1/conversations?${query}`)).body.data.length;

  expect([first, second].map(({ body }) => body.data.map(({ recipient }) => recipient))).toEqual([
    [BEN],
    [ANNA],
  ]);
  expect(await count('channel=sms')).toBe(0);
  expect(await count('channel=chatapp&open=true')).toBe(2);
  expect(await count(`sender=${OURS}`)).toBe(2);
  expect(await count('sender=15550100009')).toBe(0);
  expect(await count('sender=SIGNALBX')).toBe(0);
});

test('a conversation has the messages of both directions, page by page, without codes', async () => {
  const path = `/v1/conversations/${OURS}/${BEN}`;
  const first = await get<Entry[]>(`${path}?limit=2`);
  const second = await get<Entry[]>(`${path}?limit=2&cursor=${first.body.nextCursor}`);

  expect(first.body.data).toMatchObject([
    { direction: 'in', inbound: { text: { body: 'Thanks' } }, message: null },
    { direction: 'out', content: { text: null, isCode: true } },
  ]);
  expect(second.body).toMatchObject({
    data: [{ direction: 'in', inbound: { text: { body: 'Where is my order?' } } }],
    nextCursor: null,
  });
  const anna = (await get<Entry[]>(`/v1/conversations/${OURS}/+${ANNA}`)).body.data;
  expect(anna).toMatchObject([
    { direction: 'out', content: { text: 'Good morning, Anna' } },
    { direction: 'out', content: { text: 'One moment' } },
    { direction: 'in' },
  ]);
  expectFailure(
    await get(`/v1/conversations/${OURS}/${ANNA}?cursor=${first.body.nextCursor}`),
    400,
    'invalid_request',
    ['cursor invalid_format'],
  );
});

test('a conversation takes as many statements for fifty messages as for two', async () => {
  const texts: string[] = [];
  const query = (text: string, values?: unknown[]): Promise<unknown> => {
    texts.push(text);
    return t.db.query(text, values);
  };
  const db = { query } as unknown as EntityManager;
  const config = { secretKeys: [Buffer.alloc(32)] } as unknown as ApiConfig;
  const contents = new MessageContents(db, config);
  const service = new ConversationsService(db, new Cursors('a secret'), contents, new Carriers(db));
  const person = '919800000503';
  const count = async (): Promise<[lines: number, statements: number]> => {
    texts.length = 0;
    const { page } = await service.thread(accountId, { sender: OURS, recipient: person }, { limit: 50 });
    return [page.length, texts.length];
  };
  const talk = async (): Promise<void> => {
    await write(person, 'Are you there?');
    await answer(person, 'Yes');
  };

  await talk();
  const [few, statements] = await count();
  for (let i = 0; i < 24; i += 1) await talk();

  expect(few).toBe(2);
  expect(await count()).toEqual([50, statements]);
});

test.each(['56161', 'SIGNALBX'])('a conversation of SMS is found by its recipient %s', async (from) => {
  await insertInboundSms(t.db, [{ ...newInbound({ from }), text: 'Hello', givenTo: accountId }]);

  const { body } = await get<Conversation[]>(`/v1/conversations?recipient=${from}`);

  expect(body.data).toMatchObject([
    { sender: OURS, recipient: from, lastInbound: { text: { body: 'Hello' } } },
  ]);
});

test('another account sees no conversation', async () => {
  const stranger = await t.addKey('Stranger');

  expect((await get<unknown[]>('/v1/conversations', stranger)).body.data).toEqual([]);
  expect((await get<unknown[]>(`/v1/conversations/${OURS}/${BEN}`, stranger)).body.data).toEqual([]);
});

const search = async (q: string, apikey = t.p.apiKey): Promise<Found[]> =>
  (await get<Found[]>(`/v1/search?q=${encodeURIComponent(q)}`, apikey)).body.data;

test('an id is found whatever it belongs to, and its link answers', async () => {
  const send = (await t.call({ body: { ...GOOD_SMS, campaignName: 'Autumn', clientRef: 'order 9' } })).body
    .id;
  const webhook = await t.call<{ id: string }>({
    path: '/v1/webhooks',
    body: { name: 'Reports of autumn', endPoint: 'http://127.0.0.1:8080/' },
  });
  const inbound = await write(ANNA, 'Hi');

  for (const [q, kind] of [
    [send, 'send'],
    [`${send}:1`, 'message'],
    [webhook.body.data.id, 'webhook'],
    [inbound, 'inbound'],
    ['reports of AUT', 'webhook'],
    ['Autumn', 'campaign'],
    ['order 9', 'reference'],
    [` +${ANNA} `, 'number'],
  ] as const) {
    const [found] = await search(q);
    expect([q, found?.kind]).toEqual([q, kind]);
    expect([q, (await get(found!.link)).status]).toEqual([q, 200]);
  }
});

test('a number has its messages and its conversations', async () => {
  const found = await search(ANNA);

  expect(found.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['number', 'message', 'conversation']),
  );
  const conversation = found.find(({ kind }) => kind === 'conversation');
  expect((await get<Entry[]>(conversation!.link)).body.data.length).toBeGreaterThan(1);
});

test('a message has the same status in the search by number and by its id', async () => {
  const byNumber = (await search(ANNA)).find(({ kind }) => kind === 'message')!;
  const { status } = (await get<{ status: string }>(byNumber.link)).body.data;

  expect(byNumber.detail).toBe(status);
  expect(await search(byNumber.id)).toEqual([byNumber]);
});

test('a search shows only what the account and the scopes of the key may see', async () => {
  const { id } = newSubmission();
  await t.call({ path: '/v1/webhooks', body: { name: 'Secret name', endPoint: 'http://127.0.0.1:8080/' } });
  const reader = await t.addKey('Stranger');
  const [{ name }] = (await t.db.query(`SELECT name FROM account WHERE id = $1`, [accountId])) as [
    { name: string },
  ];
  const sender = await t.addKey(name, ['send']);

  expect(await search('Secret name')).toHaveLength(1);
  expect(await search('Secret name', sender)).toEqual([]);
  expect(await search('Secret name', reader)).toEqual([]);
  expect(await search(`${answerId}:1`, reader)).toEqual([]);
  expect(await search(answerId, reader)).toEqual([]);
  expect(await search(ANNA, reader)).toEqual([]);
  expect(await search(id)).toEqual([]);
});

test.each([
  ['no text', '', ['q required']],
  ['a blank text', '?q=%20', ['q blank']],
  ['257 characters', `?q=${'x'.repeat(257)}`, ['q max_length']],
  ['U+0000', '?q=%00', ['q invalid_character']],
])('a search for %s is refused', async (_, query, broken) => {
  expectFailure(await get(`/v1/search${query}`), 400, 'invalid_request', broken);
});

test.each(["%' OR 1=1 --", '\\', '%', '_', "'", '{}', 'ff'])('a search for %p finds nothing', async (q) => {
  expect(await search(q)).toEqual([]);
});
