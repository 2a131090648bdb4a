import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { untilOneWaits } from '@signalbox/test/locks';
import { addSender, newInbound } from '@signalbox/test/rows';
import { openSharedRows } from '@signalbox/test/shared-rows';
import type { EntityManager } from 'typeorm';
import { upsertOptOuts } from '../accounts/opt-outs.ts';
import { insertInboundSms } from '../gateways/inbound-sms.ts';
import { applyConsentChanges, insertInbounds } from './inbound-messages.ts';

/*
 * While a statement waits for one row, another transaction touches the rows whose keys come after it. A statement that
 * had touched one of them before would end in a deadlock.
 */

/** In the order of the keys of their opt-outs: two writers for each way in which a message touches one. */
const WRITERS = [
  { from: '919800000001', consent: 'stop' },
  { from: '919800000002', consent: null, userId: 'IN.2' },
  { from: '919800000003', consent: 'start' },
  { from: '919800000004', consent: 'stop' },
  { from: '919800000005', consent: null, userId: 'IN.5' },
  { from: '919800000006', consent: 'start' },
] as const;
const CONSENTS = WRITERS.filter(({ consent }) => consent !== null);
/** Places of writers in an order other than that of the keys. */
const MIXED = [4, 1, 5, 0, 3, 2] as const;

type Writer = (typeof WRITERS)[number];

const rows = await openSharedRows();

type Statement = (db: EntityManager, accountId: string, to: string, writers: Writer[]) => Promise<unknown>;

const STATEMENTS: Record<string, { writers: readonly Writer[]; run: Statement }> = {
  insertInbounds: {
    writers: WRITERS,
    run: (db, _accountId, to, writers) =>
      insertInbounds(
        db,
        writers.map((writer) => newInbound({ to, ...writer })),
      ),
  },
  insertInboundSms: {
    writers: CONSENTS,
    run: (db, givenTo, to, writers) =>
      insertInboundSms(
        db,
        writers.map((writer) => ({ ...newInbound({ to, ...writer }), text: 'STOP', givenTo })),
      ),
  },
  applyConsentChanges: {
    writers: CONSENTS,
    run: (db, _accountId, sender, writers) =>
      applyConsentChanges(
        db,
        writers.map(({ from, consent }) => ({ recipient: from, sender, consent: consent!, at: new Date() })),
      ),
  },
};

const CASES = Object.entries(STATEMENTS).flatMap(([name, { writers, run }]) =>
  writers.map((_, place) => ({ name, writers, run, place })),
);
/** A number for each test: a number has one owner. */
let lastNumber = 15_550_180_000;
const nextNumber = (): string => String((lastNumber += 1));

test.each(CASES)(
  '$name touches opt-outs in key order after place $place',
  async ({ writers, run, place }) => {
    const to = nextNumber();
    const accountId = randomUUIDv7();
    await addSender(rows.db, accountId, to);
    await storeKnown(rows.db, accountId, to);
    const touch = (db: EntityManager, { from, consent }: Writer): Promise<unknown> =>
      upsertOptOuts(db, accountId, [newOptOut(from, consent === null ? '' : to)]);

    await expectNoDeadlock({
      touch: (db) => touch(db, writers[place]!),
      run: (db) =>
        run(
          db,
          accountId,
          to,
          MIXED.flatMap((i) => writers[i] ?? []),
        ),
      touchLater: async (db) => {
        for (const writer of writers.slice(place + 1)) await touch(db, writer);
      },
    });
  },
);

test('an inbound message touches the user id of its writer before any opt-out', async () => {
  const to = nextNumber();
  const accountId = randomUUIDv7();
  await addSender(rows.db, accountId, to);
  const [writer] = WRITERS;
  const message = newInbound({ to, ...writer, userId: 'IN.1' });

  await expectNoDeadlock({
    touch: (db) =>
      db.query(`INSERT INTO chat_user (account_id, user_id, msisdn) VALUES ($1, 'IN.1', $2)`, [
        accountId,
        writer.from,
      ]),
    run: (db) => insertInbounds(db, [message]),
    touchLater: (db) => upsertOptOuts(db, accountId, [newOptOut(writer.from, to)]),
  });
});

interface Meeting {
  touch: (db: EntityManager) => Promise<unknown>;
  run: (db: EntityManager) => Promise<unknown>;
  touchLater: (db: EntityManager) => Promise<unknown>;
}

/** Runs a statement that waits for a row which a transaction has touched, while the transaction touches more rows. */
async function expectNoDeadlock({ touch, run, touchLater }: Meeting): Promise<void> {
  let running: Promise<unknown> | undefined;
  const other = rows.db.transaction(async (db) => {
    await touch(db);
    running = rows.db.transaction(run);
    running.catch(() => undefined);
    await untilOneWaits(rows.db);
    await touchLater(db);
  });
  const results = await Promise.allSettled([other, other.catch(() => undefined).then(() => running)]);
  expect(results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))).toEqual(
    [],
  );
}

/** Stores an opt-out for each writer who says START, and one of each user id, which holds for its number from now on. */
async function storeKnown(db: EntityManager, accountId: string, to: string): Promise<void> {
  const known = WRITERS.flatMap((writer) => {
    if (writer.consent === 'start') return [newOptOut(writer.from, to, 'gateway')];
    return 'userId' in writer ? [newOptOut(writer.userId, '')] : [];
  });
  await upsertOptOuts(db, accountId, known);
}

function newOptOut(recipient: string, sender: string, source = 'api') {
  return { id: randomUUIDv7(), recipient, sender, source, reason: null, createdAt: new Date(0) };
}
