const SHAPE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}):([1-9]\d{0,4})$/;

/** Key of a message: its submission, and the position of its recipient in the request, counted from 1. */
export interface MessageKey {
  submissionId: string;
  n: number;
}

/**
 * Builds the public id of a message, `<submission id>:<n>`, which is known before the message is stored. An
 * inbound message has n = 0, and its own id in place of a submission's.
 */
export function messageId(submissionId: string, n: number): string {
  return n === 0 ? submissionId : `${submissionId}:${n}`;
}

/** Parses a message id; undefined for any other text, upper-case hex included. */
export function parseMessageId(text: string): MessageKey | undefined {
  const match = SHAPE.exec(text);
  return match ? { submissionId: match[1]!, n: Number(match[2]) } : undefined;
}

/** A value that names its message by the id, and by the key too where the id was built from one. */
export interface NamedMessage {
  messageId: string;
  key?: MessageKey | undefined;
}

/** Returns the key of a message; undefined for an id that has no form of ours. */
export function messageKeyOf({ messageId: id, key }: NamedMessage): MessageKey | undefined {
  return key ?? parseMessageId(id);
}

/** Checks that a text has the form of a submission's id. */
export function isSubmissionId(text: string): boolean {
  return parseMessageId(messageId(text, 1)) !== undefined;
}
