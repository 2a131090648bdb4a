import type { RenderedPush } from '@signalbox/domain/webhooks/delivery-report';
import type { PushResult } from '@signalbox/gateways/webhook-call';
import { type Static, Type } from 'typebox';
import { FLAG, MILLISECONDS, TEXT, model, nullable } from '../docs/model.ts';
import { TIMINGS } from './timings.ts';

export const PreviewView = model('RenderedCall', 'A call as it would be made.', {
  method: TEXT,
  url: TEXT,
  headers: Type.Record(Type.String(), TEXT),
  query: nullable(
    Type.Record(Type.String(), TEXT),
    'Query parameters of a GET, including those of the endpoint; null for a POST.',
  ),
  body: nullable(TEXT, 'Body of a POST, as text; null for a GET.'),
});
export type PreviewView = Static<typeof PreviewView>;

export const TestView = model('WebhookTest', 'The outcome of a test, and the call that was made.', {
  ok: FLAG,
  status: nullable(Type.Integer(), 'HTTP status of the response; null when none arrived.'),
  error: nullable(TEXT, 'Reason for a failure; null for a success.'),
  durationMs: MILLISECONDS,
  timings: TIMINGS,
  answer: Type.String({ description: "The first 1,024 characters of the response's body." }),
  request: PreviewView,
  secret: Type.Optional(
    Type.String({ description: 'The secret that signed the call, when it was made for this test.' }),
  ),
});
export type TestView = Static<typeof TestView>;

const MAX_ANSWER_CHARACTERS = 1_024;

/** Placeholders for headers that differ per call, and for the signature, whose secret does not exist yet. */
const PER_CALL = {
  'webhook-id': '<the same for every attempt>',
  'webhook-timestamp': '<seconds since 1970>',
  'webhook-signature': 'v1,<signature by the secret of the webhook>',
};

export function previewView(method: string, rendered: RenderedPush): PreviewView {
  return callView(method, { ...rendered, headers: { ...rendered.headers, ...PER_CALL } });
}

export function testView(call: RenderedPush & { method: string }, result: PushResult): TestView {
  const { ok, status, error, durationMs, timings, answer } = result;
  return {
    ok,
    status,
    error,
    durationMs: Math.round(durationMs),
    timings: {
      dnsMs: rounded(timings.dnsMs),
      connectMs: rounded(timings.connectMs),
      tlsMs: rounded(timings.tlsMs),
      firstByteMs: rounded(timings.firstByteMs),
    },
    answer: Array.from(answer.slice(0, 2 * MAX_ANSWER_CHARACTERS))
      .slice(0, MAX_ANSWER_CHARACTERS)
      .join(''),
    request: callView(call.method, call),
  };
}

function callView(
  method: string,
  { url, headers, body = null }: Omit<RenderedPush, 'body'> & { body?: string | null | undefined },
): PreviewView {
  const query = method === 'GET' ? Object.fromEntries(new URL(url).searchParams) : null;
  return { method, url, headers, query, body };
}

function rounded(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 10) / 10;
}
