import { expect, test } from '@jest/globals';
import { type EventMessage, renderChatPush } from '@signalbox/domain/chat/event';
import { renderPush, toDeliveryReport } from '@signalbox/domain/webhooks/delivery-report';
import { NAMED_FIELDS } from '@signalbox/domain/webhooks/report-fields';
import { renderBatch } from '@signalbox/domain/webhooks/push-batch';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { ChatEventPush, DeliveryReport, PushBatch } from './push-models.ts';

const MESSAGE = {
  submissionId: '019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11',
  n: 1,
  recipient: '919800000100',
  sender: '15550100001',
  credits: 1,
  gateway: 'simulator',
  status: 'DELIVERED',
  errCode: '000',
  description: null,
  operatorCircle: null,
  acceptedAt: new Date(),
  deliveredAt: null,
} as const;
const AT = new Date();
const SENT = { at: AT, kind: 'text', template: null, campaign: null, clientRef: null };
const RECEIVED = {
  at: AT,
  kind: 'text',
  content: { text: { body: 'YES' } },
  chatAccountId: 1,
  replyTo: null,
};
const INBOUND_ID = '019e6f10-0b7c-7a31-8c11-52d9b7a1f0aa';
const TARGET = { endPoint: 'http://127.0.0.1/', headers: [] };

test.each([[], [...NAMED_FIELDS]])('a report with further fields %j matches its model', (...fields) => {
  const report = toDeliveryReport(MESSAGE);
  const { body } = renderPush({ ...TARGET, method: 'POST', fields }, report);

  expect(problemsOf(DeliveryReport, body)).toBeNull();
});

test.each<[string, EventMessage]>([
  ['message.sent', { ...MESSAGE, status: 'SUBMITTED', chat: SENT }],
  ['message.status', { ...MESSAGE, chat: { ...SENT, template: { name: 'order', language: 'en' } } }],
  ['message.received', { ...MESSAGE, status: 'RECEIVED', chat: RECEIVED }],
])('an event %s matches its model', (_, message) => {
  const { body = '' } = renderChatPush(TARGET, message);
  const inbound = body.replace(`"${MESSAGE.submissionId}:1"`, `"${INBOUND_ID}"`);

  expect(problemsOf(ChatEventPush, message.status === 'RECEIVED' ? inbound : body)).toBeNull();
});

test('a batch of both matches its model', () => {
  const report = renderPush({ ...TARGET, method: 'POST', fields: [] }, toDeliveryReport(MESSAGE)).body ?? '';
  const event = renderChatPush(TARGET, { ...MESSAGE, chat: SENT }).body ?? '';
  const items = [report, event].map((body, i) => ({ id: `${INBOUND_ID}_${i}`, sequence: i, body }));

  expect(problemsOf(PushBatch, renderBatch(items).body)).toBeNull();
});

function problemsOf(schema: TSchema, body: string | undefined): unknown {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const validate = ajv.compile({ ...JSON.parse(JSON.stringify(schema)), additionalProperties: false });
  return validate(JSON.parse(body ?? 'null')) ? null : validate.errors;
}
