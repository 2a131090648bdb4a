import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import type { Channel } from '@signalbox/domain/channel';
import { type MessageStatus, type ReportedStatus, canMove } from '@signalbox/domain/message-status';
import { newReport } from '@signalbox/test/rows';
import fc from 'fast-check';
import { type NewReport, applyReports, insertReports } from './reports.ts';

const MAX_BATCHES = 5;
const LIFE: ReportedStatus[] = ['SENT', 'FAILED', 'DELIVERED', 'READ'];

/** One message: its status after the submit, and its reports by batch. */
interface Case {
  channel: Channel;
  start: 'PENDING' | 'SENT';
  batches: ReportedStatus[][];
}

const status = fc.constantFrom<ReportedStatus>(...LIFE);
const cases: fc.Arbitrary<Case[]> = fc.array(
  fc.record({
    channel: fc.constantFrom<Case['channel']>('sms', 'chatapp'),
    start: fc.constantFrom<Case['start']>('PENDING', 'SENT'),
    batches: fc.array(fc.array(status, { maxLength: 5 }), { minLength: 1, maxLength: MAX_BATCHES }),
  }),
  { minLength: 25, maxLength: 25 },
);

const rows = await openSharedRows();

/** The moves of a message by the table of legal moves: each batch in the order of statuses, one report at a time. */
function movesOf({ start, batches }: Case): ReportedStatus[] {
  const moves: ReportedStatus[] = [];
  let stands: MessageStatus = start;
  for (const next of batches.flatMap((batch) => LIFE.filter((reported) => batch.includes(reported)))) {
    const reportsSubmit = next === 'SENT' && stands === 'SENT' && moves.length === 0;
    if (!canMove(stands, next) && !reportsSubmit) continue;
    moves.push(next);
    stands = next;
  }
  return moves;
}

async function storeMessages(all: Case[]): Promise<string[]> {
  const ids = all.map(() => randomUUIDv7());
  await rows.db.query(
    `WITH s AS (
       INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits, due_at, expires_at, fanned_out_at)
       SELECT id, id, channel, 'text', CASE channel WHEN 'sms' THEN 'TRANS' ELSE 'CHAT' END, '15550100001', '{}', '{919800000100}', 1, now(), now(), now()
         FROM unnest($1::uuid[], $3::text[]) AS t(id, channel)
     )
     INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until)
     SELECT id, 1, id, '919800000100', status, 1, now() FROM unnest($1::uuid[], $2::text[]) AS t(id, status)`,
    [ids, all.map(({ start }) => start), all.map(({ channel }) => channel)],
  );
  return ids;
}

/** Reads the status of messages, and the reports that moved them. */
async function read(
  ids: string[],
  statusOf: ReadonlyMap<string, ReportedStatus>,
): Promise<{ status: string; moves: unknown[] }[]> {
  const stored: { id: string; status: string; movedBy: string[] }[] = await rows.db.query(
    `SELECT submission_id AS id, status, COALESCE(moved_by, '{}') AS "movedBy" FROM message WHERE submission_id = ANY($1::uuid[])`,
    [ids],
  );
  const byId = new Map(
    stored.map(({ id, status: stands, movedBy }) => [
      id,
      { status: stands, moves: movedBy.map((report) => statusOf.get(report)) },
    ]),
  );
  return ids.map((id) => byId.get(id)!);
}

/** Applies all reports so far, as repeated jobs do; with `isOver` no status waits for an earlier one any more. */
async function applyAll(reports: NewReport[], isOver: boolean): Promise<void> {
  const ids = reports.map(({ id }) => id);
  if (isOver)
    await rows.db.query(
      `UPDATE message_event SET received_at = now() - interval '1 minute' WHERE id = ANY($1::uuid[])`,
      [ids],
    );
  await applyReports(rows.db, ids);
}

test('reports in any order and number move a message once to each status and end the same', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (all) => {
      const ids = await storeMessages(all);
      const known: NewReport[] = [];
      for (let round = 0; round < MAX_BATCHES; round += 1) {
        const fresh = all.flatMap(({ batches }, i) =>
          (batches[round] ?? []).map((next) => newReport(ids[i]!, { status: next })),
        );
        await insertReports(rows.db, fresh);
        known.push(...fresh);
        await applyAll(known, round === MAX_BATCHES - 1);
      }
      const ends = await read(
        ids,
        new Map(known.map((report) => [report.id, report.status as ReportedStatus])),
      );
      for (const [i, one] of all.entries()) {
        const { status: stands, moves } = ends[i]!;
        expect(stands).toBe(
          LIFE.findLast((next) => next === one.start || one.batches.flat().includes(next)) ?? 'PENDING',
        );
        expect(moves).toEqual(
          one.channel === 'sms' ? movesOf(one) : LIFE.filter((next) => moves.includes(next)),
        );
        expect(moves.at(-1) ?? one.start).toBe(stands);
      }
    }),
    { numRuns: 12 },
  );
});
