import type { RenderedPush } from '@signalbox/domain/webhooks/delivery-report';
import type { PushResult } from '@signalbox/gateways/webhook-client';

/** A call as it would be made. */
export interface PreviewView {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** The parameters of a GET, those of the end point included; null for a POST. */
  query: Record<string, string> | null;
  /** The body of a POST, as text; null for a GET. */
  body: string | null;
}

/** How a test went, and what was sent. */
export interface TestView {
  ok: boolean;
  /** The status of the answer; null when there was none. */
  status: number | null;
  /** Why it failed; null for a success. */
  error: string | null;
  durationMs: number;
  /** Where the time went, in milliseconds; null for what was not needed, or not reached. */
  timings: {
    dnsMs: number | null;
    connectMs: number | null;
    tlsMs: number | null;
    firstByteMs: number | null;
  };
  /** The beginning of the answer's body. */
  answer: string;
  request: PreviewView;
}

const MAX_ANSWER_CHARACTERS = 1_024;

/** What differs from call to call, and the signature, whose secret is not there yet. */
const PER_CALL = {
  'webhook-id': '<the same for every try>',
  'webhook-timestamp': '<seconds since 1970>',
  'webhook-signature': 'v1,<by the secret of the webhook>',
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
