import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { countPages } from '@signalbox/test/count-pages';
import { accept, addSender, newChat, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { fanOutChat } from '../chat/fan-out.ts';
import { fanOut } from '../submissions/submissions.ts';
import { type RecordedSubmit, recordChatSubmits, recordSubmits } from './submits.ts';

const SENDER = '15550100001';

/** A few pages for each index that is searched. The webhooks of other accounts have hundreds. */
const FEW_PAGES = 60;

test('an outcome is recorded without the webhooks of other accounts', async () => {
  await using rows = await openRows();
  const { db } = rows;
  await addWebhooksOfOthers(db);
  const [sms, chat] = [await claimedSms(db), await claimedChat(db)];

  expect(
    await countPages(db, (counted) => recordSubmits(counted, 'simulator', [accepted(sms)])),
  ).toBeLessThan(FEW_PAGES);
  expect(
    await countPages(db, (counted) => recordChatSubmits(counted, 'chat-simulator', [accepted(chat)])),
  ).toBeLessThan(FEW_PAGES);
});

/** Stores webhooks of 20,000 accounts that ask for the event of each submit. */
async function addWebhooksOfOthers(db: EntityManager): Promise<void> {
  await db.query(
    `WITH other AS (
       INSERT INTO account (id, name) SELECT uuidv7(), 'other ' || n FROM generate_series(1, 20000) AS n RETURNING id
     )
     INSERT INTO webhook (id, account_id, name, channel, provider, method, endpoint, headers, fields, max_in_flight,
                          sealed_secret, intermediate, events)
     SELECT uuidv7(), id, channel, channel, 'any', 'POST', 'https://example.com/', '[]', '{}', 4, '', channel = 'sms',
            CASE channel WHEN 'chatapp' THEN '{message.sent}'::text[] ELSE '{}' END
       FROM other, unnest('{sms,chatapp}'::text[]) AS channel`,
  );
  await db.query('ANALYZE webhook');
}

async function claimedSms(db: EntityManager): Promise<string> {
  const { id } = await accept(db);
  await fanOut(db, [id], LEASE_SECONDS);
  return id;
}

async function claimedChat(db: EntityManager): Promise<string> {
  const accountId = randomUUIDv7();
  await addSender(db, accountId, SENDER);
  const { id } = await accept(db, newChat({ accountId, sender: SENDER }));
  await fanOutChat(db, 'CHAT', { budget: 1, after: null, leaseSeconds: LEASE_SECONDS });
  return id;
}

const accepted = (submissionId: string): RecordedSubmit => ({
  submissionId,
  n: 1,
  result: 'sent',
  gatewayMessageId: null,
  retryAfterMs: 0,
});
