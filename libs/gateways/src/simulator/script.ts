import type { ReportedStatus } from '@signalbox/domain/message-status';

/** A report that the simulator makes. */
export interface ScriptedReport {
  status: ReportedStatus;
  errCode: string;
  description: string;
}

/** The fate of an SMS, as docs/interface.md lists it by the last four digits of its recipient. */
export interface SmsScript {
  /** Outcome of the submit that is not throttled. */
  answer: 'accepted' | 'unconfirmed';
  /** Number of submits that are throttled first. */
  throttled: number;
  /** The reports arrive before the outcome of the submit. */
  early: boolean;
  /** One report per step. */
  reports: readonly ScriptedReport[];
}

const SENT: ScriptedReport = { status: 'SENT', errCode: '000', description: 'Message sent to the operator' };
export const DELIVERED: ScriptedReport = {
  status: 'DELIVERED',
  errCode: '000',
  description: 'Message delivered',
};
export const READ: ScriptedReport = { status: 'READ', errCode: '000', description: 'Message read' };
export const ABSENT: ScriptedReport = { status: 'FAILED', errCode: '001', description: 'Absent subscriber' };
export const BLOCKED: ScriptedReport = {
  status: 'FAILED',
  errCode: '002',
  description: 'Subscriber blocked',
};

const PLAIN: SmsScript = { answer: 'accepted', throttled: 0, early: false, reports: [DELIVERED] };

const SCRIPTS: ReadonlyMap<string, SmsScript> = new Map([
  ['0001', { ...PLAIN, reports: [ABSENT] }],
  ['0002', { ...PLAIN, reports: [BLOCKED] }],
  ['0003', { ...PLAIN, throttled: 2 }],
  ['0004', { ...PLAIN, early: true }],
  ['0005', { ...PLAIN, reports: [DELIVERED, DELIVERED] }],
  ['0006', { ...PLAIN, reports: [] }],
  ['0007', { ...PLAIN, reports: [DELIVERED, READ] }],
  ['0008', { ...PLAIN, reports: [DELIVERED, SENT] }],
  ['0009', { ...PLAIN, answer: 'unconfirmed' }],
]);

/** Returns the script that the last four digits of a recipient choose; delivered by default. */
export function smsScript(recipient: string): SmsScript {
  return SCRIPTS.get(recipient.slice(-4)) ?? PLAIN;
}

/**
 * Returns the last report of a script that is not SENT, with which `query` replies; undefined when it never reports.
 */
export function finalReport(script: SmsScript): ScriptedReport | undefined {
  return script.reports.findLast(({ status }) => status !== 'SENT');
}
