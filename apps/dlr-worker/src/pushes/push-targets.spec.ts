import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Sealer } from '@signalbox/runtime/seal';
import { setHostClock } from '@signalbox/test/clocks';
import { addWebhooks, openRows } from '@signalbox/test/rows';
import { PushTargets } from './push-targets.ts';

test('a new webhook gets reports within half a second when the clock of the host is set back', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  const targets = new PushTargets(rows.db, new Sealer(randomBytes(32).toString('base64')));
  const reports = [{ accountId, acceptedAt: new Date(0) }];
  expect((await targets.ofReports(reports)).get(accountId)).toEqual([]);
  const [id] = await addWebhooks(rows.db, accountId, 1);

  using _ = setHostClock(-3_600_000, 600);

  expect((await targets.ofReports(reports)).get(accountId)).toMatchObject([{ id }]);
});
