import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { applyReports, insertReports } from '@signalbox/database/reports/reports';
import { fanOut } from '@signalbox/database/submissions/submissions';
import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import { Sealer } from '@signalbox/runtime/seal';
import { accept, addWebhooks, newReport, openRows } from '@signalbox/test/rows';
import { firstPushes, setOutcome } from './pending-push.ts';
import { finalOutcome, waitingOutcome } from './push-outcome.ts';
import { PushPlan, type PlannedReport } from './push-plan.ts';
import { PushSequencer } from './push-sequencer.ts';
import { PushTargets } from './push-targets.ts';

test.each<[string, boolean, (push: PlannedReport['pushes'][number]) => PushOutcome]>([
  [
    'does not wait for one that this process has delivered',
    false,
    (push) => finalOutcome(push, 'DELIVERED', 1, null, null),
  ],
  [
    'waits for one whose push is exhausted and may be replayed',
    true,
    (push) => finalOutcome(push, 'EXHAUSTED', 1, null, null),
  ],
  ['waits for one whose push is due again', true, (push) => waitingOutcome(push, 1, 1_000, null, null)],
])('a status %s', async (_, waits, outcomeOf) => {
  await using t = await setup();
  const sent = await t.apply('SENT');
  for (const push of sent.pushes) setOutcome(push, outcomeOf(push));
  t.sequencer.noteDelivered(new PushPlan([sent]).current!);

  const { pushes } = await t.apply('DELIVERED');
  await t.sequencer.arrange(pushes);

  expect(pushes.map(({ behindMs }) => behindMs)).toEqual([waits ? 0 : null]);
});

/** A message, and a webhook that wants all of its statuses. No report is settled: in the database all are to be pushed. */
async function setup() {
  const rows = await openRows();
  const { db } = rows;
  const { id, accountId } = await accept(db);
  await addWebhooks(db, accountId, 1);
  await db.query('UPDATE webhook SET intermediate = true');
  await fanOut(db, [id], 60);
  const targets = await new PushTargets(db, new Sealer(randomBytes(32).toString('base64'))).of([accountId]);
  return {
    ...rows,
    sequencer: new PushSequencer(db),
    apply: async (status: 'SENT' | 'DELIVERED'): Promise<PlannedReport> => {
      const stored = newReport(id, { status });
      await insertReports(db, [stored]);
      const [report] = await applyReports(db, [stored.id]);
      return { report: report!, pushes: firstPushes(report!, targets.get(accountId)!) };
    },
  };
}
