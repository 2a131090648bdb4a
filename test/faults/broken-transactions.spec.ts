import { expect, test } from '@jest/globals';
import { isOutage } from '@signalbox/runtime/outage';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { openRows } from '../support/rows.ts';

test('a connection that breaks between two statements of a transaction is an outage', async () => {
  await using rows = await openRows();

  const transaction = rows.db.transaction(async (db) => {
    const [{ pid }]: [{ pid: number }] = await db.query('SELECT pg_backend_pid() AS pid');
    await rows.db.query('SELECT pg_terminate_backend($1)', [pid]);
    await waitFor(() => db.queryRunner?.isReleased === true, { otherwise: 'the connection did not break' });
    await db.query('SELECT 1');
  });

  const error = await transaction.catch((reason: Error) => reason);
  expect(error).toMatchObject({ name: 'QueryRunnerProviderAlreadyReleasedError' });
  expect(isOutage(error)).toBe(true);
});

test('a connection that breaks during a statement of a transaction is an outage', async () => {
  await using rows = await openRows();

  const transaction = rows.db.transaction((db) => db.query('SELECT pg_terminate_backend(pg_backend_pid())'));

  expect(isOutage(await transaction.catch((reason: Error) => reason))).toBe(true);
});
