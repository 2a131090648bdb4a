import { expect, test } from '@jest/globals';
import { LINK_BATCH } from '@signalbox/database/messages/short-links';
import type { DutyContext } from '@signalbox/messaging/maintenance/duty';
import { runDuty } from '@signalbox/messaging/maintenance/run-duty';
import { openRows } from '@signalbox/test/rows';
import type { SmsWorkerConfig } from './config.ts';
import { smsDuties } from './duties.ts';

test('a pass adds up all clicks, however many batches they fill', async () => {
  await using rows = await openRows();
  await rows.db.query(
    `INSERT INTO short_link_click (id, account_id, submission_id, n, link, kind, clicked_at)
     SELECT uuidv7(), link.account_id, link.submission_id, 1, 1, 'person', now()
       FROM (SELECT uuidv7() AS account_id, uuidv7() AS submission_id) AS link, generate_series(1, $1)`,
    [LINK_BATCH + 1],
  );
  const duties = smsDuties({ RETENTION_DAYS: 90, GATEWAY_ID_DAYS: 7 } as SmsWorkerConfig);
  const duty = duties.find(({ name }) => name === 'add up clicks')!;

  await runDuty(duty, { db: rows.db } as DutyContext);

  expect(await rows.db.query(`SELECT clicks FROM short_link_total`)).toEqual([{ clicks: LINK_BATCH + 1 }]);
  expect(await rows.db.query(`SELECT FROM short_link_click`)).toEqual([]);
});
