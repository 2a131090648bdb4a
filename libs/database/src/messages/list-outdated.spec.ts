import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { accept, openRows } from '@signalbox/test/rows';
import { listMessages } from './list.ts';

test('a send that waits with an outdated ready row is listed once', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  const { id } = await accept(rows.db, {
    accountId,
    recipients: ['919800000001', '919800000002'],
    waits: true,
  });
  await rows.db.query(`INSERT INTO ready_sms (lane, account_id, id) VALUES ('TRANS', $1, $2)`, [
    accountId,
    id,
  ]);
  const { messages } = await listMessages(rows.db, accountId, { recipient: '919800000001' }, 10);
  expect(messages).toHaveLength(1);
});
