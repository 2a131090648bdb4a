import { expect, test } from '@jest/globals';
import { withAdvisoryLock } from '@signalbox/database/ops/advisory-lock';
import { runDuty } from '@signalbox/messaging/maintenance/run-duty';
import { createLogger } from '@signalbox/runtime/logger';
import { addRegistering } from '@signalbox/test/registering';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { chatDuties } from './duties.ts';

const rows = await openSharedRows();

test('one worker at a time enrols the templates of all gateways', async () => {
  const { db } = rows;
  const accounts = [await addRegistering(rows), await addRegistering(rows)];
  const ids = [await accounts[0]!.create(), await accounts[1]!.create()];
  const duty = chatDuties('manual').find(({ name }) => name === 'enrol templates')!;
  const unused = {
    get: (): never => {
      throw new Error('this duty uses neither queues nor providers');
    },
  };
  const run = () => runDuty(duty, { db, queues: unused, logger: createLogger('test', 'silent'), ...unused });
  const enrolled = async () => {
    const found: { id: string }[] = await db.query('SELECT template_id AS id FROM template_registration');
    return found.map(({ id }) => id).toSorted();
  };

  await withAdvisoryLock(db, duty.lock!, run);
  expect(await enrolled()).toEqual([]);
  await run();
  expect(await enrolled()).toEqual(ids.toSorted());
});
