import type { PreviewView, TestView } from './webhook-test.view.ts';

/** Bodies of POST /v1/webhooks/preview and test, shown by /docs. */
export const PREVIEW_BODIES = {
  'A report as JSON': {
    endPoint: 'https://example.com/reports',
    headers: [{ key: 'Message-Id', value: '{{messageId}}' }],
  },
  'A report as a query, with an additional field': {
    endPoint: 'https://example.com/reports',
    method: 'GET',
    fields: ['operatorCircle'],
  },
};

export const REQUEST: PreviewView = {
  method: 'POST',
  url: 'https://example.com/reports',
  headers: {
    'user-agent': 'Signalbox',
    'Message-Id': '00000000-0000-7000-8000-000000000000:1',
    'content-type': 'application/json',
    'webhook-id': '<the same for every attempt>',
    'webhook-timestamp': '<seconds since 1970>',
    'webhook-signature': 'v1,<signature by the secret of the webhook>',
  },
  query: null,
  body: '{"messageId":"00000000-0000-7000-8000-000000000000:1","status":"Delivered"}',
};

export const TEST: TestView = {
  ok: true,
  status: 200,
  error: null,
  durationMs: 84,
  timings: { dnsMs: 11.2, connectMs: 18.4, tlsMs: 31.9, firstByteMs: 20.7 },
  answer: 'ok',
  request: {
    ...REQUEST,
    headers: {
      'user-agent': 'Signalbox',
      'Message-Id': '00000000-0000-7000-8000-000000000000:1',
      'content-type': 'application/json',
      'webhook-id': 'test_019e6f0c-6b01-7f3e-9c55-2a9c1f4d7e10',
      'webhook-timestamp': '1795216205',
      'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
      'webhook-test': 'true',
    },
  },
};

export const UNSAVED_TEST: TestView = {
  ...TEST,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
};
