import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openRows } from '@signalbox/test/rows';
import { insertSession, listSessions } from './sessions.ts';

test('a user has at most 100 sessions, and the next one ends the oldest', async () => {
  await using rows = await openRows();
  const [accountId, userId] = [randomUUIDv7(), randomUUIDv7()];
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'Shop')`, [accountId]);
  await rows.db.query(`INSERT INTO app_user (id, email, name) VALUES ($1, 'ana@shop.example', 'Ana')`, [
    userId,
  ]);
  const ids = Array.from({ length: 101 }, () => randomUUIDv7()).toSorted();

  for (const id of ids)
    await insertSession(rows.db, {
      id,
      hash: randomBytes(32),
      userId,
      accountId,
      address: '127.0.0.1',
      userAgent: '',
    });

  const kept = await listSessions(rows.db, userId);
  expect(kept.map(({ id }) => id)).toEqual(ids.slice(1).toReversed());
  expect(await rows.db.query(`SELECT FROM user_session`)).toHaveLength(100);
});
