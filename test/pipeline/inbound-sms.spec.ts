import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { assignSender } from '@signalbox/database/chat/assignments';
import { Webhook } from 'standardwebhooks';
import type { EntityManager } from 'typeorm';
import { emptyMessage } from '../../libs/gateways/src/smpp/pdu.ts';
import { type Smsc, startSmsc } from '../../libs/gateways/test/smsc.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { A_QUEUE } from '../support/queue.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const NUMBER = '15550100077';
const KEY = 'a-text-that-is-long';

interface Inbound {
  id: string;
  from: string;
  to: string;
  text: { body: string };
}

let p: Pipeline;
let smsc: Smsc;
let receiver: Receiver;
let secret: string;

beforeAll(async () => {
  smsc = await startSmsc();
  receiver = await startReceiver();
  p = await startPipeline({ queue: A_QUEUE });
  await ownNumber(p.db);
  const webhook = { name: 'inbound', endPoint: receiver.url, events: ['message.received'] };
  ({ secret } = (await p.post('/v1/webhooks', webhook)).body['data'] as { secret: string });
  await addGateway('smpp', { host: '127.0.0.1', port: smsc.port, systemId: 'test' }, { password: 'x' });
  await addGateway('http', { preset: 'vonage', apiKey: 'k' }, { token: 't', callbackSecret: KEY }, false);
});
afterAll(async () => {
  for (const each of [p, receiver, smsc]) await each[Symbol.asyncDispose]();
});

async function ownNumber(db: EntityManager): Promise<void> {
  const [account] = await db.query(`SELECT id FROM account`);
  await assignSender(db, (account as { id: string }).id, NUMBER);
}

async function addGateway(kind: string, settings: object, secrets: object, enabled = true): Promise<void> {
  const answer = await p.post('/v1/gateways', {
    name: `${kind}-1`,
    channel: 'sms',
    kind,
    settings,
    secrets,
    enabled,
  });
  expect([answer.status, answer.body['error']]).toEqual([201, null]);
}

/** The messages of a sender, once there are some. */
async function listFrom(from: string): Promise<Inbound[]> {
  let found: Inbound[] = [];
  const isThere = async (): Promise<boolean> => {
    found = (await p.get(`/v1/sms/inbound?from=${from}`)).body['data'] as Inbound[];
    return found.length > 0;
  };
  await waitFor(isThere, { otherwise: 'the message was not stored' });
  return found;
}

test('a message that an SMSC delivers is acknowledged, pushed with a signature, and listed', async () => {
  const isBound = (): boolean => smsc.received().some(({ command }) => command === 'bind_transceiver');
  await waitFor(isBound, { otherwise: 'the worker did not bind' });
  const message = {
    ...emptyMessage(),
    source: '919800000501',
    destination: NUMBER,
    shortMessage: Buffer.from('Where is my parcel?'),
  };
  smsc.connections.at(-1)!.send({ command: 'deliver_sm', sequence: 77, message });

  const [listed] = await listFrom('919800000501');
  expect(listed).toMatchObject({ from: '919800000501', to: NUMBER, text: { body: 'Where is my parcel?' } });
  await receiver.until((pushes) => pushes.length > 0);
  const [push] = receiver.received;
  const verified = new Webhook(secret).verify(push!.body, push!.headers as Record<string, string>);
  expect(verified).toMatchObject({
    type: 'message.received',
    data: { messageId: listed!.id, from: '919800000501', to: NUMBER, text: { body: 'Where is my parcel?' } },
  });
  const isAnswered = (): boolean =>
    smsc.received().some(({ command, sequence }) => command === 'deliver_sm_resp' && sequence === 77);
  await waitFor(isAnswered, { otherwise: 'the SMSC got no answer' });
});

test('segments that a vendor calls back with, by GET and POST and in any order, are one message', async () => {
  const part = (n: number, text: string): URLSearchParams =>
    new URLSearchParams({
      msisdn: '919800000502',
      to: NUMBER,
      messageId: `0B${n}`,
      text,
      type: 'text',
      'message-timestamp': '2026-11-22 10:00:00',
      concat: 'true',
      'concat-ref': 'b08',
      'concat-total': '2',
      'concat-part': String(n),
    });
  const url = `${p.apiUrl}/v1/callbacks/http-1?key=${KEY}`;
  const second = await fetch(url, { method: 'POST', body: part(2, 'of parcels') });
  const first = await fetch(`${url}&${part(1, 'A long story ')}`);

  expect([second.status, first.status]).toEqual([200, 200]);
  expect(await listFrom('919800000502')).toMatchObject([{ text: { body: 'A long story of parcels' } }]);
});

test('a subscription is confirmed by the challenge of the gateway, for its token only', async () => {
  const created = await p.post('/v1/gateways', {
    name: 'whatsapp',
    channel: 'chatapp',
    kind: 'cloud-api',
    settings: { businessAccountId: '102290129340398' },
    secrets: { accessToken: 'EAAG', appSecret: 'app secret', verifyToken: 'our token' },
  });
  expect([created.status, created.body['error']]).toEqual([201, null]);
  const subscribe = (token: string): Promise<Response> => {
    const query = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': token,
      'hub.challenge': '1158201444',
    });
    return fetch(`${p.apiUrl}/v1/callbacks/whatsapp?${query}`);
  };

  const [right, wrong] = [await subscribe('our token'), await subscribe('another token')];

  expect([right.status, await right.text()]).toEqual([200, '1158201444']);
  expect([wrong.status, await wrong.text()]).not.toContain('1158201444');
  expect(wrong.status).toBeGreaterThanOrEqual(400);
});
