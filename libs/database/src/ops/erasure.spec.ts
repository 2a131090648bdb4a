import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import { untilOneWaits } from '@signalbox/test/locks';
import { accept, openRows } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { EntityManager } from 'typeorm';
import { findMessage } from '../messages/messages.ts';
import { insertCallbacks, markCallbacksProcessed } from '../reports/callbacks.ts';
import { findProgress } from '../submissions/progress.ts';
import { setAside } from '../submissions/set-aside.ts';
import { fanOut } from '../submissions/submissions.ts';
import { lockNumbers } from '../verify/verifications.ts';
import { erasePerson } from './erasure.ts';
import { discardParked } from './parked.ts';

const SIZE = 3_000;
const RECIPIENTS = Array.from({ length: SIZE }, (_, i) => String(919_800_000_000 + i));
const PERSON = RECIPIENTS[1]!;

test('an erased number loses its values in a bulk, and the others keep theirs', async () => {
  await using rows = await openRows();
  const id = await addBulk(rows.db);

  await erasePerson(rows.db, PERSON);

  const [bulk] = await rows.db.query(
    `SELECT recipients[1:3] AS recipients, custom -> 0 AS first, custom -> 1 AS second,
            jsonb_array_length(custom) AS size
       FROM submission
      WHERE id = $1`,
    [id],
  );
  expect(bulk).toEqual({
    recipients: [RECIPIENTS[0], '*******0000', RECIPIENTS[2]],
    first: ['value 0'],
    second: [],
    size: SIZE,
  });
});

test('the erasure of a number from a bulk does not read the bulk for each of its recipients', async () => {
  await using rows = await openRows();
  await addBulk(rows.db);

  expect(await countPages(rows.db, (db) => erasePerson(db, PERSON))).toBeLessThan(SIZE);
});

test('a callback that no worker has read yet keeps a person, since it reports on others too', async () => {
  await using rows = await openRows();
  const id = randomUUIDv7();
  await insertCallbacks(rows.db, [{ id, gateway: 'vendor', body: Buffer.from(RECIPIENTS.join()) }]);
  const listCallbacks = () => rows.db.query<{ id: string }[]>(`SELECT id FROM callback`);

  expect(await erasePerson(rows.db, PERSON)).toEqual({ rows: new Map(), open: 1 });
  expect(await listCallbacks()).toEqual([{ id }]);

  await markCallbacksProcessed(rows.db, [{ id, problem: null }]);
  expect(await erasePerson(rows.db, PERSON)).toEqual({ rows: new Map([['callback', 1]]), open: 0 });
  expect(await listCallbacks()).toEqual([]);
});

test('a code that is not sent yet keeps a person, and so does its fallback', async () => {
  await using rows = await openRows();
  await rows.db.query(
    `INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, expires_at)
     SELECT uuidv7(), uuidv7(), uuidv7(), uuidv7(), $1, 'IN', false, 5, now() + interval '1 hour'`,
    [PERSON],
  );
  expect((await erasePerson(rows.db, PERSON)).open).toBe(1);

  await rows.db.query(`UPDATE verification SET status = 'SENT', code_mac = '\\x00'`);
  await rows.db.query(
    `INSERT INTO verification_step (verification_id, step, account_id, channel, status, due_at, stops_on_delivery,
                                    message, sealed)
     SELECT id, 2, account_id, 'sms', 'WAITING', now(), true, '{}', '\\x00' FROM verification`,
  );
  expect((await erasePerson(rows.db, PERSON)).open).toBe(1);

  await rows.db.query(
    `UPDATE verification_step SET status = 'STOPPED', message = NULL, sealed = NULL, reason = 'delivered'`,
  );
  expect(await erasePerson(rows.db, PERSON)).toMatchObject({ open: 0 });
  expect(await rows.db.query(`SELECT id FROM verification`)).toEqual([]);
});

test('an erasure reads the largest tables before it locks rows that workers wait for', async () => {
  await using rows = await openRows();
  await addBulk(rows.db);
  await addEndedEvent(rows.db);
  await rows.db.query(`INSERT INTO verification_number (account_id, recipient) SELECT uuidv7(), $1`, [
    PERSON,
  ]);
  await insertCallbacks(rows.db, [{ id: randomUUIDv7(), gateway: 'vendor', body: Buffer.from(PERSON) }]);
  await rows.db.query(`UPDATE callback SET processed_at = now()`);
  const [locked, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reader = rows.db.transaction(async (db) => {
    await db.query(`SELECT FROM callback FOR UPDATE`);
    locked.resolve();
    await read.promise;
  });
  await locked.promise;

  const erasure = rows.db.transaction((db) => erasePerson(db, PERSON));
  await waitFor(async () => (await countWaiting(rows.db)) === 1, { otherwise: 'the erasure did not wait' });
  const free = await Promise.all(
    ['message', 'message_event', 'submission', 'verification_number'].map((table) =>
      rows.db.query(`SELECT FROM ${table} FOR UPDATE SKIP LOCKED`),
    ),
  );
  read.resolve();
  await reader;

  expect(free.map((found: object[]) => found.length)).toEqual([1, 1, 1, 1]);
  expect((await erasure).open).toBe(0);
  expect(await rows.db.query(`SELECT FROM verification_number`)).toEqual([]);
});

test('what a person sends and requests during an erasure stays', async () => {
  await using rows = await openRows();
  await insertCallbacks(rows.db, [{ id: randomUUIDv7(), gateway: 'vendor', body: Buffer.from(PERSON) }]);
  await rows.db.query(`UPDATE callback SET processed_at = now()`);
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'Shop')`, [randomUUIDv7()]);
  await addCode(rows.db);
  const locked = Promise.withResolvers<void>();
  const added = Promise.withResolvers<void>();
  const reader = rows.db.transaction(async (db) => {
    await db.query(`SELECT FROM callback FOR UPDATE`);
    locked.resolve();
    await added.promise;
  });
  await locked.promise;

  const erasure = rows.db.transaction((db) => erasePerson(db, PERSON));
  await untilOneWaits(rows.db);
  const [code] = await addCode(rows.db);
  await addInbound(rows.db);
  await addSentMessage(rows.db);
  added.resolve();
  await reader;

  expect(await erasure).toMatchObject({ open: 0 });
  expect(await rows.db.query(`SELECT id FROM verification`)).toEqual([code]);
  for (const table of ['verification_number', 'inbound_message', 'gateway_message_id'])
    expect(await rows.db.query(`SELECT FROM ${table}`)).toHaveLength(1);
});

test('a send that names only the erased number, though twice, is deleted', async () => {
  await using rows = await openRows();
  const { id, accountId } = await accept(rows.db, { recipients: [PERSON, PERSON] });
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'Shop')`, [accountId]);
  await fanOut(rows.db, [id], 60);
  await rows.db.query(`UPDATE message SET status = 'FAILED'`);

  await erasePerson(rows.db, PERSON);

  expect(await rows.db.query(`SELECT FROM submission`)).toEqual([]);
});

test('the messages of a bulk add up to its total without those that were erased', async () => {
  await using rows = await openRows();
  const { id, accountId } = await accept(rows.db, { recipients: [PERSON, RECIPIENTS[2]!] });
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'Shop')`, [accountId]);
  await fanOut(rows.db, [id], 60);
  await rows.db.query(`UPDATE message SET status = 'FAILED'`);

  await erasePerson(rows.db, PERSON);

  expect(await findProgress(rows.db, accountId, 'sms', id)).toMatchObject({
    total: 1,
    statuses: { PENDING: 0, SENT: 0, DELIVERED: 0, READ: 0, FAILED: 1 },
  });
});

test('an erased message of a bulk is not found by its id, and the others are', async () => {
  await using rows = await openRows();
  const { id, accountId } = await accept(rows.db, { recipients: [PERSON, RECIPIENTS[2]!] });
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'Shop')`, [accountId]);
  const find = (n: number) => findMessage(rows.db, accountId, { submissionId: id, n });
  expect(await find(1)).toMatchObject({ recipient: PERSON, status: 'PENDING' });
  await fanOut(rows.db, [id], 60);
  await rows.db.query(`UPDATE message SET status = 'FAILED'`);

  await erasePerson(rows.db, PERSON);

  expect(await find(1)).toBeUndefined();
  expect(await find(2)).toMatchObject({ recipient: RECIPIENTS[2], status: 'FAILED' });
});

test('erasing one user id of a person erases what other accounts know by another', async () => {
  await using rows = await openRows();
  const accounts = [randomUUIDv7(), randomUUIDv7()];
  await rows.db.query(`INSERT INTO account (id, name) SELECT id, id FROM unnest($1::uuid[]) AS id`, [
    accounts,
  ]);
  await rows.db.query(
    `INSERT INTO chat_user (account_id, user_id, msisdn)
     VALUES ($1, 'IN.1', '919800000101'), ($2, 'IN.2', '919800000101'), ($2, 'IN.3', '919800000103')`,
    accounts,
  );
  await rows.db.query(
    `INSERT INTO chat_pair (account_id, sender, recipient)
     VALUES ($1, '15550100001', 'IN.2'), ($1, '15550100001', 'IN.3')`,
    [accounts[1]],
  );

  await erasePerson(rows.db, 'IN.1');

  expect(await rows.db.query(`SELECT user_id FROM chat_user`)).toEqual([{ user_id: 'IN.3' }]);
  expect(await rows.db.query(`SELECT recipient FROM chat_pair`)).toEqual([{ recipient: 'IN.3' }]);
});

test('erasing a number that was given to another person keeps the later number of the first', async () => {
  await using rows = await openRows();
  const accounts = [randomUUIDv7(), randomUUIDv7()];
  await rows.db.query(`INSERT INTO account (id, name) SELECT id, id FROM unnest($1::uuid[]) AS id`, [
    accounts,
  ]);
  await rows.db.query(
    `INSERT INTO chat_user (account_id, user_id, msisdn)
     VALUES ($1, 'IN.first', '919800000102'), ($2, 'IN.first', $3), ($2, 'IN.second', $3)`,
    [...accounts, PERSON],
  );
  await rows.db.query(
    `INSERT INTO chat_pair (account_id, sender, recipient)
     VALUES ($1, '15550100001', '919800000102'), ($1, '15550100001', 'IN.second')`,
    [accounts[0]],
  );

  await erasePerson(rows.db, PERSON);

  expect(await rows.db.query(`SELECT recipient FROM chat_pair`)).toEqual([{ recipient: '919800000102' }]);
});

test('the time at which a person opted in is erased, and an opt-out stays', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'Shop')`, [accountId]);
  await rows.db.query(
    `INSERT INTO opt_out (account_id, recipient, sender, id, source, created_at)
     VALUES ($1, $2, 'SHOP', uuidv7(), 'inbound', now())`,
    [accountId, PERSON],
  );
  await rows.db.query(
    `INSERT INTO opt_out_end (account_id, recipient, sender, source, ended_at)
     VALUES ($1, $2, 'SHOP', 'inbound', now())`,
    [accountId, PERSON],
  );

  expect((await erasePerson(rows.db, PERSON)).rows).toEqual(new Map([['opt_out_end', 1]]));
});

test('a discarded send is erased, also from the recipients that got no message', async () => {
  await using rows = await openRows();
  const { id: single } = await accept(rows.db, { recipients: [PERSON] });
  const { id: bulk } = await accept(rows.db, { recipients: [RECIPIENTS[0]!, PERSON] });
  await rows.db.query(`UPDATE submission SET fanned_upto = 1 WHERE id = $1`, [bulk]);
  for (const id of [single, bulk]) await setAside(rows.db, 'sms', id);
  const keys = [single, bulk].map((id) => ({ id, n: 0 }));
  await discardParked(rows.db, 'submission', keys, { reason: 'damaged', actor: 'cli' });

  const counts = new Map(Object.entries({ discarded_send: 1, submission: 2 }));
  expect(await erasePerson(rows.db, PERSON)).toEqual({ rows: counts, open: 0 });

  expect(await rows.db.query(`SELECT id, recipients FROM submission`)).toEqual([
    { id: bulk, recipients: [RECIPIENTS[0], '*******0000'] },
  ]);
});

test('an erasure locks the numbers of a person in the same order as requests for codes', async () => {
  await using rows = await openRows();
  const accounts = [randomUUIDv7(), randomUUIDv7()].toSorted() as [string, string];
  const [first, second] = ['919800000101', '919800000102'] as const;
  const numbers = accounts.flatMap((accountId) =>
    [first, second].map((recipient) => ({ accountId, recipient })),
  );
  await rows.db.query(`INSERT INTO account (id, name) SELECT id, id FROM unnest($1::uuid[]) AS id`, [
    accounts,
  ]);
  await rows.db.query(
    `INSERT INTO chat_user (account_id, user_id, msisdn) VALUES ($1, 'person', $3), ($2, 'person', $4)`,
    [...accounts, first, second],
  );
  await lockNumbers(rows.db, numbers);

  const erasure = await rows.db.transaction(async (request) => {
    await lockNumbers(request, [{ accountId: accounts[0], recipient: second }]);
    const erased = rows.db.transaction((db) => erasePerson(db, 'person')).catch((error: unknown) => error);
    await waitFor(async () => (await countWaiting(rows.db)) > 0, { otherwise: 'the erasure does not wait' });
    await lockNumbers(request, [{ accountId: accounts[1], recipient: first }]);
    return { erased };
  });

  expect(await erasure.erased).toMatchObject({ open: 0 });
});

/** Stores a code that was sent to the person. */
async function addCode(db: EntityManager): Promise<{ id: string }[]> {
  await db.query(
    `INSERT INTO verification_number (account_id, recipient) SELECT id, $1 FROM account ON CONFLICT DO NOTHING`,
    [PERSON],
  );
  return db.query(
    `INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, expires_at,
                               status, code_mac)
     SELECT uuidv7(), id, uuidv7(), uuidv7(), $1, 'IN', false, 5, now() + interval '1 hour', 'SENT', '\\x00'
       FROM account
     RETURNING id`,
    [PERSON],
  );
}

/** Stores a message that the person wrote. */
async function addInbound(db: EntityManager): Promise<void> {
  await db.query(
    `INSERT INTO inbound_message (id, account_id, gateway, gateway_message_id, sender, recipient, kind, content, sent_at)
     SELECT uuidv7(), id, 'vendor', 'x', $1, '15550100001', 'text', '{}', now() FROM account`,
    [PERSON],
  );
}

/** Stores a message to the person, which a gateway has. */
async function addSentMessage(db: EntityManager): Promise<void> {
  await db.query(
    `WITH sent AS (
       INSERT INTO message (submission_id, n, account_id, recipient, credits, lane, status, claimed_until)
       SELECT uuidv7(), 1, id, $1, 1, 'TRANS', 'SENT', now() FROM account
       RETURNING submission_id
     )
     INSERT INTO gateway_message_id (gateway, gateway_message_id, submission_id, n, segment, day, segments, recipient)
     SELECT 'vendor', 'x', submission_id, 1, 1, now(), 1, $1 FROM sent`,
    [PERSON],
  );
}

async function countWaiting(db: EntityManager): Promise<number> {
  const [row]: { count: number }[] = await db.query(
    `SELECT count(*)::integer AS count
       FROM pg_stat_activity
      WHERE datname = current_database()
        AND wait_event_type = 'Lock'`,
  );
  return row!.count;
}

/** Stores the settled report of the message of `addBulk`. */
async function addEndedEvent(db: EntityManager): Promise<void> {
  await db.query(
    `INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at, settled_at)
     SELECT uuidv7(), 'simulator', submission_id, n, 'FAILED', '001', '', now(), now()
       FROM message`,
  );
}

/** Stores a bulk with a value for each recipient, and the failed message to the person. */
async function addBulk(db: EntityManager): Promise<string> {
  const custom = RECIPIENTS.map((_, i) => [`value ${i}`]);
  const { id, accountId } = await accept(db, { recipients: RECIPIENTS, custom });
  await db.query(`DELETE FROM ready_sms`);
  await db.query(`INSERT INTO account (id, name) VALUES ($1, 'Shop')`, [accountId]);
  await db.query(
    `INSERT INTO message (submission_id, n, account_id, recipient, credits, lane, status, claimed_until)
     VALUES ($1, 2, $2, $3, 1, 'TRANS', 'FAILED', now())`,
    [id, accountId, PERSON],
  );
  return id;
}
