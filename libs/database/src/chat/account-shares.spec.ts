import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { addSender, newChat, openRows } from '@signalbox/test/rows';
import { insertSubmissions } from '../submissions/submissions.ts';
import { fanOutChat } from './fan-out.ts';

test.each([
  ['one sender', 1, [10, 10]],
  ['nine senders', 9, [10, 9]],
])('an account of %s gets no more of a round than another account', async (_, count, shares) => {
  await using t = await setup();
  const small = await t.addBacklog(1, 15550100000);
  const large = await t.addBacklog(count, 15550200000);

  const { messages } = await fanOutChat(t.db, 'CHAT', { budget: 20, after: null, leaseSeconds: 60 });

  const sharesOf = [small, large].map((id) => messages.filter(({ accountId }) => accountId === id).length);
  expect(sharesOf).toEqual(shares);
});

test('senders that wait for their rate take no share of another account', async () => {
  await using t = await setup();
  const small = await t.addBacklog(1, 15550100000);
  await t.addBacklog(9, 15550200000);
  await t.db.query(`UPDATE chat_sender SET paced_until = now() + interval '1 hour' WHERE account_id <> $1`, [
    small,
  ]);

  const { messages } = await fanOutChat(t.db, 'CHAT', { budget: 20, after: null, leaseSeconds: 60 });

  expect(messages.map(({ accountId }) => accountId)).toEqual(Array(10).fill(small));
});

async function setup() {
  const rows = await openRows();
  return {
    ...rows,
    /** Inserts an account whose senders have 10 messages each to different recipients. */
    addBacklog: async (senders: number, firstSender: number): Promise<string> => {
      const accountId = randomUUIDv7();
      for (let i = 0; i < senders; i += 1) {
        const sender = String(firstSender + i);
        await addSender(rows.db, accountId, sender);
        await insertSubmissions(
          rows.db,
          Array.from({ length: 10 }, (_, n) =>
            newChat({ accountId, sender, recipients: [String(919811100000 + n)] }),
          ),
        );
      }
      return accountId;
    },
  };
}
