const SHAPE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}):([1-9]\d{0,4})$/;

/** One message of a submission: recipient number `n`, counted from 1 in the order of the call. */
export interface MessageKey {
  submissionId: string;
  n: number;
}

/**
 * The public id of a message, `<submission id>:<n>` (spec 2.5), known before the message is stored. One that a recipient wrote is of no
 * submission: its n is 0, and its id is its own.
 */
export function messageId(submissionId: string, n: number): string {
  return n === 0 ? submissionId : `${submissionId}:${n}`;
}

/** Reads a message id back; undefined when the text cannot be one. Upper-case hex is not an id we ever gave out. */
export function parseMessageId(text: string): MessageKey | undefined {
  const match = SHAPE.exec(text);
  return match ? { submissionId: match[1]!, n: Number(match[2]) } : undefined;
}

/** Whether a text has the form of a submission's id; one that has not names none of ours. */
export function isSubmissionId(text: string): boolean {
  return parseMessageId(messageId(text, 1)) !== undefined;
}
