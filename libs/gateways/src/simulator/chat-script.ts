import { ABSENT, BLOCKED, DELIVERED, READ, type ScriptedReport } from './script.ts';

/** What happens to a chat-app message (decisions, The simulator gateway). */
export interface ChatScript {
  /** What submit answers once the message is taken. */
  answer: 'accepted' | 'unconfirmed';
  /** The first so many submits are throttled. */
  throttled: number;
  /** The first step comes before the submit answer. */
  early: boolean;
  /** One callback each: a status of the message, or the recipient's answer. */
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

/** The name of the script that the last four digits of a recipient choose; any others are sent, delivered and read. */
export function chatScriptName(recipient: string): string {
  const digits = recipient.slice(-4);
  return SCRIPTS.has(digits) ? digits : PLAIN_NAME;
}

/** The script of a name; one that nobody gave is the plain one. */
export function chatScript(name: string): ChatScript {
  return SCRIPTS.get(name) ?? PLAIN;
}

/** Whether a message to this recipient reaches the phone, reported or not. */
export function isShown(recipient: string): boolean {
  const [first] = chatScript(chatScriptName(recipient)).steps;
  return first === undefined || first === 'reply' || first.status !== 'FAILED';
}
