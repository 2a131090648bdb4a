import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { simulatorCallbacks } from '../registry.ts';
import {
  CHAT_SIMULATOR,
  type SimulatorInbound,
  type SimulatorStatus,
  chatSimulatorCallback,
  signChatCallback,
} from './chat-callback.ts';

const AT = '2026-11-21T10:00:00.000Z';
const STATUS: SimulatorStatus = {
  messageId: 'a:1',
  status: 'delivered',
  errCode: '000',
  description: 'Message delivered',
  timestamp: AT,
};
const INBOUND: SimulatorInbound = {
  id: 'in-1',
  from: '919800000007',
  to: '919811111111',
  timestamp: AT,
  type: 'text',
  text: { body: 'YES' },
  context: { messageId: 'a:1' },
};
const { read } = simulatorCallbacks(CHAT_SIMULATOR, [])!;
const verify = (headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean =>
  simulatorCallbacks(CHAT_SIMULATOR, ['another', secret])!.verify({
    method: 'POST',
    url: 'https://signalbox.example/v1/callbacks/chat-simulator',
    query: new URLSearchParams(),
    headers,
    body,
  });
const readJson = (body: unknown) => read(Buffer.from(JSON.stringify(body)));

test('a callback of the simulator is read back unchanged', () => {
  const { context: _, ...unasked } = INBOUND;
  expect(read(chatSimulatorCallback({ statuses: [STATUS], messages: [INBOUND, unasked] }))).toEqual({
    reports: [
      {
        messageId: 'a:1',
        status: 'DELIVERED',
        errCode: '000',
        description: 'Message delivered',
        reportedAt: new Date(AT),
      },
    ],
    inbound: ['a:1', null].map((replyTo) => ({
      gatewayMessageId: 'in-1',
      from: '919800000007',
      to: '919811111111',
      kind: 'text',
      content: { text: { body: 'YES' } },
      replyTo,
      sentAt: new Date(AT),
    })),
    problem: null,
  });
});

test('an unreadable entry does not affect the others', () => {
  const messages = [
    INBOUND,
    { ...INBOUND, type: 'sticker' },
    { ...INBOUND, from: 'nobody' },
    { ...INBOUND, id: 7 },
    null,
  ];
  const { reports, inbound, problem } = readJson({
    statuses: [{ ...STATUS, status: 'eaten' }, STATUS, []],
    messages,
    other: 1,
  });
  expect([reports.length, inbound.length, problem]).toEqual([1, 1, 'Entries that cannot be read: 6 of 8.']);
});

test.each([
  Buffer.from([0xff, 0xfe]),
  Buffer.from('{'),
  Buffer.from('[]'),
  Buffer.from('null'),
  Buffer.alloc(0),
])('%s is reported as unreadable', (body) => {
  expect(read(body)).toEqual({
    reports: [],
    inbound: [],
    problem: 'The body is not a JSON object in UTF-8.',
  });
});

test('read accepts any JSON and returns every list', () => {
  const entry = fc.oneof(
    fc.anything(),
    fc.record({ messageId: fc.anything(), status: fc.anything(), timestamp: fc.anything() }),
  );
  fc.assert(
    fc.property(
      fc.record({ statuses: fc.oneof(fc.array(entry), fc.anything()), messages: fc.anything() }),
      (body) => {
        const text = JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? 1 : value));
        const { reports, inbound } = read(Buffer.from(text));
        expect([Array.isArray(reports), Array.isArray(inbound)]).toEqual([true, true]);
      },
    ),
    { numRuns: 200 },
  );
});

test('only the signature of the same body with the same secret is valid', () => {
  const body = chatSimulatorCallback({ statuses: [STATUS] });
  const headers = signChatCallback(body, 'secret');
  expect(verify(headers, body, 'secret')).toBe(true);
  expect(verify(headers, body, 'other')).toBe(false);
  expect(verify(headers, Buffer.concat([body, Buffer.from(' ')]), 'secret')).toBe(false);
  for (const signature of [
    '',
    'sha256=',
    `sha256=${'0'.repeat(64)}`,
    headers['x-hub-signature-256']?.toUpperCase(),
  ]) {
    expect(verify(signature === undefined ? {} : { 'x-hub-signature-256': signature }, body, 'secret')).toBe(
      false,
    );
  }
});

test('a deeply nested message is kept without its depth, and loses no other', () => {
  const deep = JSON.stringify({ ...INBOUND, type: 'interactive', interactive: {} }).replace(
    '{}',
    `{"a":${'['.repeat(60_000)}${']'.repeat(60_000)}}`,
  );
  const { inbound, problem } = read(Buffer.from(`{"messages":[${deep},${JSON.stringify(INBOUND)}]}`));
  expect([inbound.map(({ kind }) => kind), problem]).toEqual([['interactive', 'text'], null]);
});
