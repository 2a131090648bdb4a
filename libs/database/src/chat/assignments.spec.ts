import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { untilOneWaits } from '@signalbox/test/locks';
import { addSender, newInbound, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { lockLimit } from '../accounts/limits.ts';
import { setAccountPaused } from '../accounts/operation.ts';
import { deleteOldest } from '../ops/retention.ts';
import {
  type SenderRegistration,
  deleteChatAccount,
  deleteChatSender,
  insertChatSender,
} from './accounts.ts';
import { assignSender, listAssignments, releaseSender } from './assignments.ts';
import { insertInbounds } from './inbound-messages.ts';

const NUMBER = '15550100007';
const OPEN = { registration: 'open' } as const;

test('an account adds the numbers that are assigned to it and no others', async () => {
  await using t = await setup();
  expect(await t.add(t.ours)).toBe('unavailable');
  expect(await assignSender(t.db, t.theirs.accountId, NUMBER)).toBe(true);

  expect([await t.add(t.ours), await t.add(t.ours, OPEN)]).toEqual(['unavailable', 'unavailable']);
  expect(await t.add(t.theirs)).toBe('stored');
  expect(await t.add(t.theirs)).toBe('unavailable');
});

test('with open registration an account adds a number that belongs to nobody', async () => {
  await using t = await setup();

  expect([await t.add(t.ours, OPEN), await t.add(t.theirs, OPEN)]).toEqual(['stored', 'unavailable']);
  expect(await listAssignments(t.db, {})).toMatchObject([
    { msisdn: NUMBER, accountId: t.ours.accountId, assignedBy: 'account', inUse: true },
  ]);
});

test('of two accounts that add a number at the same time one gets it', async () => {
  await using t = await setup();
  const numbers = Array.from({ length: 20 }, (_, i) => String(15550200000 + i));

  const outcomes = await Promise.all(
    numbers.map((msisdn) =>
      Promise.all([t.ours, t.theirs].map((owner) => t.add(owner, { ...OPEN, msisdn }))),
    ),
  );

  for (const both of outcomes) expect(both.toSorted()).toEqual(['stored', 'unavailable']);
  const owners = await t.db.query(
    `SELECT cs.msisdn FROM chat_sender cs JOIN sender_assignment sa USING (msisdn, account_id)`,
  );
  expect(owners).toHaveLength(numbers.length);
});

test.each(['assigned', 'open'] as const)(
  'with %s registration only its account adds a deleted number again',
  async (registration) => {
    await using t = await setup();
    await t.add(t.ours, OPEN);
    await t.remove(t.ours);

    expect(await t.add(t.theirs, { registration })).toBe('unavailable');
    expect(await assignSender(t.db, t.theirs.accountId, NUMBER)).toBe(false);
    expect(await t.add(t.ours, { registration })).toBe('stored');
    expect(await listAssignments(t.db, {})).toMatchObject([{ quarantinedUntil: null }]);
  },
);

test('a quarantine lasts 90 days', async () => {
  await using t = await setup();
  await t.add(t.ours, OPEN);
  await t.remove(t.ours);

  await t.passDays(89.9);
  expect(await t.add(t.theirs, OPEN)).toBe('unavailable');
  await t.passDays(0.2);
  expect(await t.add(t.ours)).toBe('unavailable');
  expect(await t.add(t.theirs, OPEN)).toBe('stored');
});

test('the numbers of a deleted chat account are quarantined', async () => {
  await using t = await setup();
  await t.add(t.ours, OPEN);
  await deleteChatAccount(t.db, t.ours.accountId, t.ours.chatAccountId, 'a test');

  expect(await t.add(t.theirs, OPEN)).toBe('unavailable');
});

test('a number that is being deleted while another account adds it is refused', async () => {
  await using t = await setup();
  await t.add(t.ours, OPEN);
  let adding: Promise<string> | undefined;

  await t.db.transaction(async (db) => {
    await deleteChatSender(db, t.ours.accountId, t.ours.chatAccountId, NUMBER);
    adding = t.add(t.theirs, OPEN);
    await untilOneWaits(t.db);
  });

  expect(await adding).toBe('unavailable');
  expect(await t.db.query(`SELECT FROM chat_sender`)).toEqual([]);
});

test('a number that is added while its chat account is being deleted is deleted with it', async () => {
  await using t = await setup();
  let deleting: Promise<boolean> | undefined;

  await t.db.transaction(async (db) => {
    await t.add(t.ours, OPEN, db);
    deleting = deleteChatAccount(t.db, t.ours.accountId, t.ours.chatAccountId, 'a test');
    await untilOneWaits(t.db);
  });

  expect(await deleting).toBe(true);
  expect(await t.db.query(`SELECT FROM chat_sender`)).toEqual([]);
  expect(await t.add(t.theirs, OPEN)).toBe('unavailable');
});

test('a number that is added while its account is being paused is paused with it', async () => {
  await using t = await setup();
  let pausing: Promise<boolean> | undefined;

  await t.db.transaction(async (db) => {
    await lockLimit(db, t.ours.accountId, 'senders');
    await t.add(t.ours, OPEN, db);
    pausing = setAccountPaused(t.db, t.ours.accountId, true);
    await untilOneWaits(t.db);
  });

  expect(await pausing).toBe(true);
  expect(await t.db.query(`SELECT paced_until = 'infinity' AS paused FROM chat_sender`)).toEqual([
    { paused: true },
  ]);
});

test("a number that an operator assigned stays its account's until it is released", async () => {
  await using t = await setup();
  await assignSender(t.db, t.ours.accountId, NUMBER);
  await t.add(t.ours);
  await t.remove(t.ours);
  expect(await listAssignments(t.db, {})).toMatchObject([{ quarantinedUntil: null, inUse: false }]);

  expect(await releaseSender(t.db, NUMBER, false)).toBe('released');

  expect(await releaseSender(t.db, NUMBER, false)).toBe('absent');
  expect(await assignSender(t.db, t.theirs.accountId, NUMBER)).toBe(true);
  expect([await t.add(t.ours, OPEN), await t.add(t.theirs)]).toEqual(['unavailable', 'stored']);
});

test('a release ends a quarantine, and takes a number in use only with its sender', async () => {
  await using t = await setup();
  await t.add(t.ours, OPEN);
  expect(await t.release(false)).toBe('in_use');
  expect(await t.add(t.theirs, OPEN)).toBe('unavailable');

  expect(await t.release(true)).toBe('released');

  expect(await t.add(t.theirs, OPEN)).toBe('stored');
  await t.remove(t.theirs);
  expect(await t.release(false)).toBe('released');
  expect(await t.add(t.ours, OPEN)).toBe('stored');
});

test('a message to a quarantined number is stored for nobody', async () => {
  await using t = await setup();
  await t.add(t.ours, OPEN);
  await t.remove(t.ours);
  const id = randomUUIDv7();

  const stored = await insertInbounds(t.db, [newInbound({ id, to: NUMBER })]);

  expect(stored).toEqual({ reportIds: [], unowned: [id] });
});

test('quarantines that ended long ago are deleted, and assignments stay', async () => {
  await using t = await setup();
  await assignSender(t.db, t.ours.accountId, '15550100008');
  await t.add(t.ours, OPEN);
  await t.remove(t.ours);
  await t.passDays(95);
  expect(await deleteOldest(t.db, 10)).toBe(0);

  await t.passDays(10);

  expect(await deleteOldest(t.db, 10)).toBe(1);
  expect(await listAssignments(t.db, {})).toMatchObject([{ msisdn: '15550100008' }]);
});

interface Owner {
  accountId: string;
  chatAccountId: number;
}

/** Two accounts, each with a chat account without senders. */
async function setup() {
  const rows = await openRows();
  const { db } = rows;
  const makeOwner = async (msisdn: string): Promise<Owner> => {
    const accountId = randomUUIDv7();
    return { accountId, chatAccountId: await addSender(db, accountId, msisdn) };
  };
  const [ours, theirs] = [await makeOwner('15550900001'), await makeOwner('15550900002')];
  await db.query(`DELETE FROM chat_sender`);
  return {
    ...rows,
    ours,
    theirs,
    add: (
      { accountId, chatAccountId }: Owner,
      {
        msisdn = NUMBER,
        registration = 'assigned',
      }: { msisdn?: string; registration?: SenderRegistration } = {},
      within = db,
    ) => {
      const row = { msisdn, messagesPerSecond: 80, createdAt: new Date() };
      return orRollback(within, 'unavailable', (own) =>
        insertChatSender(own, accountId, chatAccountId, row, registration),
      );
    },
    remove: ({ accountId, chatAccountId }: Owner) => deleteChatSender(db, accountId, chatAccountId, NUMBER),
    release: (removesSender: boolean) =>
      orRollback(db, 'in_use', (own) => releaseSender(own, NUMBER, removesSender)),
    passDays: (days: number) =>
      db.query(
        `UPDATE sender_assignment SET quarantined_until = quarantined_until - $1::float8 * interval '1 day'`,
        [days],
      ),
  };
}

/** Runs a transaction, and rolls it back when its outcome is `refusal`. */
async function orRollback<Outcome extends string>(
  db: EntityManager,
  refusal: Outcome,
  work: (db: EntityManager) => Promise<Outcome>,
): Promise<Outcome> {
  const refused = new Error(refusal);
  try {
    return await db.transaction(async (own) => {
      const outcome = await work(own);
      if (outcome === refusal) throw refused;
      return outcome;
    });
  } catch (error) {
    if (error === refused) return refusal;
    throw error;
  }
}
