import { ABSENT, BLOCKED, DELIVERED, READ, type ScriptedReport } from './script.ts';

/** The fate of a chat-app message, as docs/interface.md lists it by the last four digits of its recipient. */
export interface ChatScript {
  /** Outcome of the submit that is not throttled. */
  answer: 'accepted' | 'unconfirmed';
  /** Number of submits that are throttled first. */
  throttled: number;
  /** The first step arrives before the outcome of the submit. */
  early: boolean;
  /** One callback each: a status of the message, or a reply of the recipient. */
  steps: readonly (ScriptedReport | 'reply')[];
}

const SENT: ScriptedReport = { status: 'SENT', errCode: '000', description: 'Message sent' };

const PLAIN: ChatScript = { answer: 'accepted', throttled: 0, early: false, steps: [SENT, DELIVERED, READ] };
const PLAIN_NAME = 'plain';

const SCRIPTS: ReadonlyMap<string, ChatScript> = new Map([
  [PLAIN_NAME, PLAIN],
  ['0001', { ...PLAIN, steps: [ABSENT] }],
  ['0002', { ...PLAIN, steps: [BLOCKED] }],
  ['0003', { ...PLAIN, throttled: 2 }],
  ['0004', { ...PLAIN, early: true }],
  ['0005', { ...PLAIN, steps: [SENT, SENT, DELIVERED, DELIVERED, READ, READ] }],
  ['0006', { ...PLAIN, steps: [] }],
  ['0007', { ...PLAIN, steps: [SENT, DELIVERED, READ, 'reply'] }],
  ['0008', { ...PLAIN, steps: [READ, DELIVERED, SENT] }],
  ['0009', { ...PLAIN, answer: 'unconfirmed' }],
]);

/**
 * Returns the name of the script that the last four digits of a recipient choose; sent, delivered and read by default.
 */
export function chatScriptName(recipient: string): string {
  const digits = recipient.slice(-4);
  return SCRIPTS.has(digits) ? digits : PLAIN_NAME;
}

/** Returns the script of a name; the default script for an unknown one. */
export function chatScript(name: string): ChatScript {
  return SCRIPTS.get(name) ?? PLAIN;
}

/** Is true when a message to this recipient reaches the phone, reported or not. */
export function isShown(recipient: string): boolean {
  const [first] = chatScript(chatScriptName(recipient)).steps;
  return first === undefined || first === 'reply' || first.status !== 'FAILED';
}
