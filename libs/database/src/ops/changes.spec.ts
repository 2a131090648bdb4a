import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { accept, newReport, openRows } from '@signalbox/test/rows';
import { applyReports, insertReports } from '../reports/reports.ts';
import { fanOut } from '../submissions/submissions.ts';
import { listChanges } from './changes.ts';
import { insertPhoneMessages } from './phones.ts';

const SECONDS = 60;

test('reports of a busy account do not hide a report of a quiet one', async () => {
  await using t = await setup();
  const quiet = await t.sendOne();
  const report = newReport(quiet.id);
  await t.report([report]);

  await t.makeBusy(600);

  expect(await t.shownOf(quiet.accountId, report.id)).toEqual([`${quiet.id}:1`]);
});

test('a report is listed once, however it is found', async () => {
  await using t = await setup();
  const own = await t.sendOne();
  const report = newReport(own.id);
  await t.report([report]);

  expect(await t.shownOf(own.accountId, report.id)).toEqual([`${own.id}:1`]);
});

test('a report that came before the window is no change', async () => {
  await using t = await setup();
  const own = await t.sendOne();
  const report = newReport(own.id, { id: randomUUIDv7().replace(/^.{8}/, '019a0000') });
  await t.report([report]);

  expect(await t.shownOf(own.accountId, report.id)).toEqual([]);
});

test('at most 500 messages of the phones of each account are listed', async () => {
  await using t = await setup();
  const quiet = await t.sendOne();
  const busy = await t.sendOne();
  await t.receive(quiet.id, 1);
  await t.receive(busy.id, 501);

  const changes = await listChanges(t.db, [quiet.accountId, busy.accountId], SECONDS);

  const phones = changes.filter(({ kind }) => kind === 'phone');
  expect(phones.filter(({ accountId }) => accountId === busy.accountId)).toHaveLength(500);
  expect(phones.filter(({ accountId }) => accountId === quiet.accountId)).toEqual([
    { accountId: quiet.accountId, kind: 'phone', id: quiet.id, shownId: `${quiet.id}:1` },
  ]);
});

async function setup() {
  const rows = await openRows();
  const { db } = rows;
  const sendOne = async () => {
    const submission = await accept(db);
    await fanOut(db, [submission.id], 60);
    return submission;
  };
  const report = async (reports: ReturnType<typeof newReport>[]) => {
    await insertReports(db, reports);
    await applyReports(
      db,
      reports.map(({ id }) => id),
    );
  };
  return {
    ...rows,
    sendOne,
    report,
    /** Stores newer reports of another account, more than are read of all accounts together. */
    makeBusy: async (count: number) => {
      const { id } = await sendOne();
      await insertReports(
        db,
        Array.from({ length: count }, () => newReport(id)),
      );
    },
    /** Stores messages of a send on simulated phones. */
    receive: async (submissionId: string, count: number) => {
      const message = { submissionId, recipient: '919800000001', sender: 'SHOP', sealedText: Buffer.of(1) };
      await insertPhoneMessages(
        db,
        Array.from({ length: count }, (_, i) => ({ ...message, n: i + 1 })),
      );
    },
    /** Lists the ids that the changes of the account show for a report. */
    shownOf: async (accountId: string, reportId: string) => {
      const changes = await listChanges(db, [accountId], SECONDS);
      return changes.filter(({ id }) => id === reportId).map(({ shownId }) => shownId);
    },
  };
}
