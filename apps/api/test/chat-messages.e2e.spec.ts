import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { insertInbounds } from '@signalbox/database/chat/inbound-messages';
import { parseMessageId } from '@signalbox/domain/message-id';
import { TEMPLATE_SAMPLES } from '@signalbox/test/template-samples';
import { GOOD_SMS, expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';
import { FROM, GOOD_TEXT, addTemplate } from './chatapp-under-test.ts';

interface View {
  messageId: string;
  lastInboundAt: string | null;
  sessionOpenUntil: string | null;
  timeline: { event: string }[];
}

const TEMPLATE = 'utility_simple';
const t = await startSharedApi();
await addTemplate(t, TEMPLATE, TEMPLATE_SAMPLES[TEMPLATE]!, 'approve');

async function send(body: object): Promise<string> {
  const answer = await t.call<{ messageId: string }[]>({ path: '/v1/chatapp', body });
  expect([answer.status, answer.body.error]).toEqual([200, null]);
  return answer.body.data[0]!.messageId;
}

const get = async (messageId: string): Promise<View> =>
  (await t.call<View>({ method: 'GET', path: `/v1/messages/${messageId}` })).body.data;

/** Stores an inbound message of some hours ago. */
async function receive(from: string, hoursAgo: number, replyTo?: string): Promise<string> {
  const id = randomUUIDv7();
  const [sentAt, receivedAt] = [new Date(Date.now() - hoursAgo * 3_600_000), new Date()];
  const message = {
    id,
    gateway: 'chat-simulator',
    gatewayMessageId: id,
    from,
    to: FROM,
    kind: 'text',
    content: { text: { body: 'YES' } },
  };
  await insertInbounds(t.db, [
    { ...message, replyTo: parseMessageId(replyTo ?? '') ?? null, sentAt, receivedAt, consent: null },
  ]);
  return id;
}

test('a chat-app message shows the type of its request, and a template its name', async () => {
  const to = '919800000901';
  const text = await send({ ...GOOD_TEXT, to, campaignName: 'Spring', clientRef: 'order 7' });
  const template = await send({ from: FROM, to, type: 'template', templateName: TEMPLATE });

  expect(await get(text)).toMatchObject({
    messageId: text,
    recipient: to,
    sender: FROM,
    channel: 'chatapp',
    type: 'text',
    templateName: null,
    status: 'Pending',
    credits: 1,
    campaignName: 'Spring',
    clientRef: 'order 7',
    lastInboundAt: null,
    sessionOpenUntil: null,
    timeline: [{ event: 'accepted' }],
  });
  expect(await get(template)).toMatchObject({ channel: 'chatapp', type: 'template', templateName: TEMPLATE });
});

test('lists and exports hold both channels, or the requested one', async () => {
  const to = '919800000902';
  const chat = await send({ ...GOOD_TEXT, to });
  const sms = `${(await t.call({ body: { ...GOOD_SMS, to } })).body.id}:1`;
  const list = async (query: string) =>
    (await t.call<View[]>({ method: 'GET', path: `/v1/messages?recipient=${to}${query}` })).body.data.map(
      ({ messageId }) => messageId,
    );

  expect(await list('')).toEqual([sms, chat]);
  expect(await list('&channel=chatapp')).toEqual([chat]);
  expect(await list('&channel=sms')).toEqual([sms]);
  expect(await list(`&channel=chatapp&sender=${FROM}`)).toEqual([chat]);
  const url = `${t.p.apiUrl}/v1/messages?recipient=${to}&channel=chatapp`;
  const csv = await (await fetch(url, { headers: { apikey: t.p.apiKey, accept: 'text/csv' } })).text();
  expect(csv.split('\r\n').slice(1)).toEqual([
    expect.stringContaining(`${chat},${to},${FROM},chatapp,text,Pending`),
    '',
  ]);
});

test('the timeline shows later inbound messages and the session window', async () => {
  const to = '919800000903';
  const before = await receive(to, 30);
  const messageId = await send({ ...GOOD_TEXT, to });
  const closed = await get(messageId);
  expect([closed.timeline.map(({ event }) => event), closed.sessionOpenUntil]).toEqual([['accepted'], null]);
  expect(new Date(closed.lastInboundAt!).getTime()).toBeLessThan(Date.now() - 29 * 3_600_000);

  const [answer, word] = [await receive(to, 1, messageId), await receive(to, 0)];
  await receive('919800000904', 0);
  const open = await get(messageId);
  const lines = open.timeline.filter(({ event }) => event === 'inbound') as unknown as {
    inboundId: string;
    isAnswer: boolean;
  }[];
  expect(lines.map(({ inboundId, isAnswer }) => [inboundId, isAnswer])).toEqual(
    [
      [answer, true],
      [word, false],
    ].toSorted(([a], [b]) => String(a).localeCompare(String(b))),
  );
  expect(lines.some(({ inboundId }) => inboundId === before)).toBe(false);
  expect(Date.parse(open.sessionOpenUntil!) - Date.parse(open.lastInboundAt!)).toBe(86_400_000);
});

test('a pending message is cancelled by its tenant under its channel only', async () => {
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const id = parseMessageId(await send({ ...GOOD_TEXT, to: '919800000905', sendAt }))!.submissionId;
  const cancel = (path: string, headers = {}) =>
    t.call<{ cancelled: number; type: string }>({ path: `${path}/cancel`, headers });
  const stranger = { apikey: await t.addKey('Stranger') };

  expectFailure(await cancel(`/v1/sms/${id}`), 404, 'message_not_found');
  expectFailure(await t.call({ method: 'GET', path: `/v1/sms/${id}` }), 404, 'message_not_found');
  expect(sameForAll(await cancel(`/v1/chatapp/${id}`, stranger))).toBe(
    sameForAll(await cancel(`/v1/chatapp/${randomUUIDv7()}`, stranger)),
  );
  const [first, again] = [await cancel(`/v1/chatapp/${id}`), await cancel(`/v1/chatapp/${id}`)];
  expect(first.body).toMatchObject({
    data: { cancelled: 1, type: 'text', sendAt },
    message: 'The message was cancelled.',
  });
  expect(again.body).toEqual(first.body);
});
