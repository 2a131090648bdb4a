import { MAX_BATCH } from '@signalbox/domain/webhooks/push-batch';
import { CHAT_EVENTS } from '@signalbox/domain/webhooks/push-filters';
import { Type } from 'typebox';
import { WRITER, WRITTEN } from '../inbound/inbound.view.ts';
import {
  DIGITS,
  ID,
  MESSAGE_ID,
  NUMBER,
  RECIPIENT,
  TEXT,
  TIME,
  byReference,
  model,
  nullable,
  oneOf,
} from './model.ts';

export const DeliveryReport = model('DeliveryReport', 'A report on an SMS. All values are texts.', {
  messageId: MESSAGE_ID,
  mobileNumber: NUMBER,
  senderName: TEXT,
  errCode: Type.String({ description: '`000` without an error.' }),
  status: oneOf(['Sent', 'Delivered', 'Failed']),
  createdAt: Type.String({ pattern: DIGITS, description: 'Time of acceptance, in milliseconds since 1970.' }),
  deliveredDate: Type.String({ description: 'Time of delivery; empty until then.' }),
  statusDescription: TEXT,
  messageCredit: Type.Optional(Type.String({ pattern: DIGITS, description: 'If the webhook names it.' })),
  gatewayName: Type.Optional(Type.String({ description: 'If the webhook names it.' })),
  operatorCircle: Type.Optional(Type.String({ description: 'If the webhook names it.' })),
});

const OutboundEventData = model('OutboundEventData', 'The message that an event is about.', {
  messageId: MESSAGE_ID,
  from: NUMBER,
  to: RECIPIENT,
  status: oneOf(['Sent', 'Delivered', 'Read', 'Failed']),
  kind: oneOf(['template', 'session']),
  messageType: Type.String({ description: 'The `type` of the request.' }),
  templateName: nullable(TEXT, 'Null within a session.'),
  language: nullable(TEXT, 'Null within a session.'),
  campaignName: nullable(TEXT),
  clientRef: nullable(TEXT),
  gatewayName: nullable(TEXT, 'Null for a message that ended before a gateway took it.'),
  errCode: TEXT,
  statusDescription: nullable(TEXT),
  createdAt: TIME,
});

const InboundEventData = model(
  'InboundEventData',
  'A message from a recipient. Its content is the member named like `messageType`.',
  {
    messageId: ID,
    ...WRITER,
    status: Type.Literal('Received'),
    messageType: TEXT,
    ...WRITTEN,
    receivedAt: TIME,
  },
  { additionalProperties: true },
);

export const ChatEventPush = model('ChatEvent', 'An event of a chat-app message.', {
  type: oneOf(CHAT_EVENTS),
  timestamp: Type.String({ format: 'date-time', description: "Time of the event, by the gateway's clock." }),
  data: Type.Union([OutboundEventData, InboundEventData]),
});

export const PushBatch = Type.Array(
  Type.Object({
    id: Type.String({ description: 'The `webhook-id` of the report: process it once for each id.' }),
    sequence: Type.Integer({ minimum: 0, description: 'The `webhook-sequence` of the report.' }),
    body: Type.Union([DeliveryReport, ChatEventPush], {
      description: 'The body of a call for this report alone.',
    }),
  }),
  { minItems: 1, maxItems: MAX_BATCH },
);

/** Headers of every push (Standard Webhooks). */
const HEADERS = {
  'webhook-id': 'The same for every attempt: process a push once for each id.',
  'webhook-timestamp': 'Seconds since 1970.',
  'webhook-signature':
    '`v1,` and the signature; two signatures, separated by a space, for a day after a rotation.',
  'webhook-sequence': 'Position of the status among those of its message, from 1; 0 for `message.sent`.',
};

const { 'webhook-sequence': _, ...SIGNATURE_HEADERS } = HEADERS;

/** Headers of a batch: each report has its sequence in the body. */
const BATCH_HEADERS = {
  ...SIGNATURE_HEADERS,
  'webhook-id': 'The same for every attempt with the same reports.',
};

/** The `webhooks` of the OpenAPI document: the calls that Signalbox makes to endpoints. */
export function describePushes(): Record<string, object> {
  return {
    deliveryReport: push('pushDeliveryReport', 'Delivery report of an SMS', DeliveryReport),
    ...Object.fromEntries(
      CHAT_EVENTS.map((event) => [event, push(`push.${event}`, `Chat-app event ${event}`, ChatEventPush)]),
    ),
    batch: push(
      'pushBatch',
      'Several reports or events, to a webhook with `batch`',
      PushBatch,
      BATCH_HEADERS,
    ),
  };
}

function push(id: string, summary: string, schema: object, headers: object = HEADERS): object {
  return {
    post: {
      operationId: id,
      summary,
      description:
        'Verify the signature over the raw body. Answer 2xx within 15 seconds; anything else is retried, and 410 disables the webhook.',
      tags: ['Webhooks'],
      security: [],
      parameters: Object.entries(headers).map(([name, description]) => ({
        name,
        in: 'header',
        required: true,
        description,
        schema: { type: 'string' },
      })),
      requestBody: { required: true, content: { 'application/json': { schema: byReference(schema) } } },
      responses: {
        '2XX': { description: 'The push is delivered.' },
        '410': { description: 'The endpoint is gone. Signalbox disables the webhook.' },
      },
    },
  };
}
