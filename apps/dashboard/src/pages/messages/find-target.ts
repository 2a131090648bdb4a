import { guessMsisdn, parseMsisdn } from '@signalbox/domain/msisdn';

/** The target of a search: a message, a send or a recipient. */
export type FindTarget = { messageId: string } | { submissionId: string } | { recipient: string };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MESSAGE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:[1-9]\d*$/i;
const USER_ID = /^[A-Z]{2}(\.ENT)?\.[A-Za-z0-9]{1,128}$/;

/** Reads a number in any notation, a message id or the id of a send; undefined for anything else. */
export function findTarget(typed: string): FindTarget | undefined {
  const text = typed.trim();
  if (MESSAGE_ID.test(text)) return { messageId: text.toLowerCase() };
  if (UUID.test(text)) return { submissionId: text.toLowerCase() };
  if (USER_ID.test(text)) return { recipient: text };
  const recipient = parseMsisdn(text) ?? guessMsisdn(text);
  return recipient === undefined ? undefined : { recipient };
}
