import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { type ReportedStatus, STATUS_ORDER } from '@signalbox/domain/message-status';
import { accept, newReport, openRows } from '@signalbox/test/rows';
import fc from 'fast-check';
import type { EntityManager } from 'typeorm';
import { recordSubmits } from '../messages/submits.ts';
import type { AppliedReport } from './applied-report.ts';
import {
  type NewReport,
  type UnsettledReport,
  applyReports,
  insertReports,
  listUnsettled,
} from './reports.ts';
import { fanOut } from '../submissions/submissions.ts';

const FIRST_AT = Date.UTC(2026, 10, 20, 23, 10);

const arbitraryStatus = fc.constantFrom<ReportedStatus>('SENT', 'FAILED', 'DELIVERED', 'READ');
const arbitraryReport = fc.record({ status: arbitraryStatus, namesCircle: fc.boolean() });
const arbitraryBatches = fc.array(fc.array(arbitraryReport, { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 3,
});

test('reports of a message have the same effect in one batch as one at a time', async () => {
  await using t = await setup();
  await fc.assert(
    fc.asyncProperty(arbitraryBatches, fc.boolean(), async (batches, wasSubmitted) => {
      const [together, apart] = [await t.message(wasSubmitted), await t.message(wasSubmitted)];
      let count = 0;
      for (const batch of batches) {
        const reportsOf = (id: string): NewReport[] =>
          batch.map((report, i) => numberedReport(id, count + i, report));
        const appliedTogether = await t.applyTogether(reportsOf(together));
        const appliedApart = await t.applyApart(reportsOf(apart));
        expect(appliedTogether.map(shape)).toEqual(appliedApart.map(shape));
        count += batch.length;
      }
      expect(await t.rowOf(together)).toEqual(await t.rowOf(apart));
    }),
    { numRuns: 60 },
  );
});

interface ReportCase {
  status: ReportedStatus;
  namesCircle: boolean;
}

/** The nth report of a message: its id says so, and its times and words differ from those of the others. */
function numberedReport(submissionId: string, n: number, { status, namesCircle }: ReportCase): NewReport {
  const id = `${submissionId.slice(0, 24)}${String(n).padStart(12, '0')}`;
  return newReport(submissionId, {
    id,
    errCode: String(n),
    description: `report ${n}`,
    operatorCircle: namesCircle ? `circle ${n}` : null,
    reportedAt: new Date(FIRST_AT + n * 1_000),
    status,
  });
}

const numberOf = (reportId: string): number => Number(reportId.slice(-12));

/** The fields of an applied report that are equal for two messages with the same reports. */
function shape({
  reportId,
  earlier,
  status,
  errCode,
  description,
  operatorCircle,
  deliveredAt,
  isFinal,
}: AppliedReport): object {
  return {
    n: numberOf(reportId),
    earlier: earlier?.map(numberOf) ?? null,
    status,
    errCode,
    description,
    operatorCircle,
    deliveredAt,
    isFinal,
  };
}

const inLife = (a: { status: string; id: string }, b: { status: string; id: string }): number =>
  STATUS_ORDER.indexOf(a.status as ReportedStatus) - STATUS_ORDER.indexOf(b.status as ReportedStatus) ||
  (a.id < b.id ? -1 : 1);

const byEarlier = (a: UnsettledReport, b: UnsettledReport): number =>
  (a.earlier?.length ?? 0) - (b.earlier?.length ?? 0);

async function setup() {
  const rows = await openRows();
  const { db } = rows;
  return {
    ...rows,
    message: async (wasSubmitted: boolean): Promise<string> => {
      const { id } = await accept(db);
      await fanOut(db, [id], LEASE_SECONDS);
      const answer = {
        submissionId: id,
        n: 1,
        result: 'sent',
        gatewayMessageId: null,
        retryAfterMs: 0,
      } as const;
      if (wasSubmitted) await recordSubmits(db, 'simulator', [answer]);
      return id;
    },
    /** Also checks that a job that runs again has the same reports to push. */
    applyTogether: async (reports: NewReport[]): Promise<AppliedReport[]> => {
      await insertReports(db, reports);
      const ids = reports.map(({ id }) => id);
      const applied = await applyReports(db, ids);
      const again = (await listUnsettled(db, ids)).filter(({ needsPush }) => needsPush).toSorted(byEarlier);
      expect(again).toMatchObject(applied);
      return applied;
    },
    applyApart: async (reports: NewReport[]): Promise<AppliedReport[]> => {
      await insertReports(db, reports);
      const applied: AppliedReport[] = [];
      for (const { id } of reports.toSorted(inLife)) applied.push(...(await applyReports(db, [id])));
      return applied;
    },
    rowOf: (id: string) => messageRow(db, id),
  };
}

async function messageRow(db: EntityManager, id: string): Promise<object> {
  const [row] = await db.query(
    `SELECT status, gateway, err_code, status_description, operator_circle, delivered_at, read_at, failed_at, sent_at IS NULL AS unsent, moved_by
       FROM message WHERE submission_id = $1`,
    [id],
  );
  return { ...row, moved_by: (row.moved_by as string[]).map(numberOf) };
}
