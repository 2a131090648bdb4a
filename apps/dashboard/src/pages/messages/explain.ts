import type { Message } from '@signalbox/client';
import { ERR_CODES } from '@signalbox/domain/err-codes';
import { duration } from '../../parts/duration.ts';

/** The answer to "why is this not delivered?". */
export interface Explanation {
  tone: 'good' | 'waiting' | 'bad';
  /** One sentence. `{time}` stands for `at`. */
  text: string;
  /** ISO 8601 instant. */
  at?: string;
  /** The page that helps on. */
  next?: 'opt_outs' | 'parked' | 'queues' | 'senders' | 'send';
}

type Explained = Pick<
  Message,
  | 'status'
  | 'parked'
  | 'unconfirmed'
  | 'errCode'
  | 'statusDescription'
  | 'gateway'
  | 'channel'
  | 'sendAt'
  | 'expiresAt'
  | 'heldUntil'
  | 'waitsFor'
  | 'createdAt'
  | 'timeline'
>;

/** Explains the state of a message in one sentence, from its status and its timeline. */
export function explain(message: Explained, nowMs: number): Explanation {
  if (message.status === 'Delivered' || message.status === 'Read') return explainArrival(message);
  if (message.status === 'Failed') return explainFailure(message);
  if (message.status === 'Sent') return explainSent(message);
  return explainPending(message, nowMs);
}

function explainArrival({ status, timeline, createdAt }: Explained): Explanation {
  const report = timeline.findLast((event) => event.event === 'report' && event.status === status);
  const word = status === 'Read' ? 'The recipient has read it' : 'It was delivered';
  if (!report) return { tone: 'good', text: `${word}, as its gateway reports.` };
  const seconds = (Date.parse(report.at) - Date.parse(createdAt)) / 1000;
  return { tone: 'good', text: `${word}, ${duration(seconds)} after it was accepted.` };
}

/** Sentences for the errCodes of Signalbox itself. */
const OWN_FAILURES: Record<string, Omit<Explanation, 'tone'>> = {
  '901': { text: 'It expired before a gateway took it.' },
  '902': { text: 'It was cancelled before a gateway took it.', next: 'send' },
  '903': { text: 'It was not sent, because the recipient has opted out.', next: 'opt_outs' },
  '904': {
    text: 'It was not sent, because its sender is no longer a number of the account.',
    next: 'senders',
  },
};

function explainFailure({ errCode, statusDescription, gateway, timeline }: Explained): Explanation {
  const own = OWN_FAILURES[errCode ?? ''];
  if (own) return { tone: 'bad', ...own };
  const report = timeline.findLast((event) => event.event === 'report' && event.status === 'Failed');
  const theirs = report?.gatewayCode ? `, its own code ${report.gatewayCode}` : '';
  const reason = `${statusDescription ?? 'no reason'} (errCode ${errCode ?? 'unknown'}${theirs})`;
  const meaning = meaningOf(errCode);
  const text = meaning
    ? `${meaning} ${named(gateway)} reports: ${reason}.`
    : `${named(gateway)} could not deliver it: ${reason}.`;
  return { tone: 'bad', text };
}

/** The errCodes that say nothing of the reason. */
const WITHOUT_MEANING = new Set(['000', '099']);

function meaningOf(errCode: string | null): string | undefined {
  if (errCode === null || WITHOUT_MEANING.has(errCode)) return undefined;
  return (ERR_CODES as Readonly<Record<string, string>>)[errCode];
}

function explainSent({ gateway, timeline }: Explained): Explanation {
  const sent = timeline.find(({ event }) => event === 'sent');
  return {
    tone: 'waiting',
    text: `${named(gateway)} took it on {time} and has not reported its delivery yet.`,
    ...(sent && { at: sent.at }),
  };
}

function explainPending(message: Explained, nowMs: number): Explanation {
  const { parked, unconfirmed, gateway, sendAt, heldUntil, channel, expiresAt, timeline } = message;
  const isAhead = (at: string | null): at is string => at !== null && Date.parse(at) > nowMs;
  if (parked)
    return {
      tone: 'bad',
      text: 'It is parked: ten tries to send it ended without an outcome. An operator can free it.',
      next: 'parked',
    };
  if (unconfirmed)
    return {
      tone: 'waiting',
      text: `${named(gateway)} did not respond when it got the message, so it may arrive; a report settles it.`,
    };
  if (isAhead(sendAt)) return { tone: 'waiting', text: 'It is scheduled for {time}.', at: sendAt };
  if (isAhead(heldUntil)) return { tone: 'waiting', text: HELD[channel], at: heldUntil };
  if (message.waitsFor !== null)
    return { tone: 'waiting', text: `${message.waitsFor} It expires on {time}.`, at: expiresAt };
  const refused = timeline.findLast(({ event }) => event === 'failed_over');
  if (refused)
    return {
      tone: 'waiting',
      text: `${named(refused.gateway)} could not take it (${refused.reason ?? 'no reason'}), so it goes to another one; it expires on {time}.`,
      at: expiresAt,
      next: 'queues',
    };
  return {
    tone: 'waiting',
    text: 'It waits to be handed to a gateway; it expires on {time}.',
    at: expiresAt,
    next: 'queues',
  };
}

const HELD = {
  sms: 'Quiet hours of its country hold it until {time}.',
  chatapp: 'The pace of messages to this recipient holds it until {time}.',
} as const;

function named(gateway: string | null | undefined): string {
  return gateway ? `The gateway ${gateway}` : 'The gateway';
}
