import { PARKED_KINDS, type ParkedKind, type ParkedRow } from '@signalbox/database/ops/parked';
import { messageId } from '@signalbox/domain/message-id';
import { type Static, Type } from 'typebox';
import { COUNT, FLAG, ID, TEXT, TIME, model, nullable, oneOf } from '../docs/model.ts';

export const ParkedRowView = model(
  'ParkedRow',
  'A row that was started too often, or a send that cannot be fanned out. It waits for an operator.',
  {
    kind: oneOf(PARKED_KINDS),
    id: Type.String({ description: 'The id of a message, or of the row.' }),
    messageId: nullable(TEXT, 'The message, also of a report; null for other kinds.'),
    accountId: nullable(ID, 'Null for a callback, and for a report that matches no message.'),
    gateway: nullable(TEXT),
    starts: COUNT,
    since: TIME,
    problem: nullable(
      TEXT,
      'Why its last start failed, numbers masked; null when its worker died each time.',
    ),
  },
);
export type ParkedRowView = Static<typeof ParkedRowView>;

export const ParkedCountsView = model('ParkedCounts', 'Parked rows by kind, each counted up to 10,000.', {
  message: COUNT,
  submission: COUNT,
  report: COUNT,
  template: COUNT,
  callback: COUNT,
  verification: COUNT,
});
export type ParkedCountsView = Static<typeof ParkedCountsView>;

export const ParkedActionView = model('ParkedAction', 'The outcome of an action on parked rows.', {
  kind: oneOf(PARKED_KINDS),
  rows: Type.Integer({ minimum: 0, description: 'Rows that the action concerned, or would concern.' }),
  dryRun: FLAG,
});
export type ParkedActionView = Static<typeof ParkedActionView>;

export function parkedRowView(kind: ParkedKind, row: ParkedRow): ParkedRowView {
  const { id, n, submissionId, accountId, gateway, starts, since, problem } = row;
  const ofReport = submissionId !== null && accountId !== null ? messageId(submissionId, n ?? 0) : null;
  return {
    kind,
    id: kind === 'message' ? messageId(id, n ?? 0) : id,
    messageId: kind === 'message' ? messageId(id, n ?? 0) : ofReport,
    accountId,
    gateway: gateway === '' ? null : gateway,
    starts,
    since: since.toISOString(),
    problem,
  };
}
