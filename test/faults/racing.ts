import { randomUUIDv7 } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { type StoredMessageId, insertMessageIds } from '@signalbox/database/gateways/message-ids';
import { fanOut, insertSubmissions } from '@signalbox/database/submissions/submissions';
import { newSubmission } from '@signalbox/test/rows';
import { openSharedRows } from '@signalbox/test/shared-rows';
import type { EntityManager } from 'typeorm';
import { randomFrom, shuffle } from '../torture/random.ts';

/** Enough rows that two statements in different orders meet in nearly every round. */
export const ROWS = 300;
export const ROUNDS = 6;
export const CONNECTIONS = 3;

export const ACCOUNT = randomUUIDv7();
export const SEED = 7;

/** The numbers of the rows of a batch, in the order of one caller. */
type Order = readonly number[];

/** Inserts the rows that a statement is about, and returns a function that runs it for all of them in a given order. */
export type Race = (
  db: EntityManager,
) => Promise<(db: EntityManager, order: Order, round: number) => Promise<unknown>>;

/** Defines a test for each race: some connections run it at the same time, each in another order, in some rounds. */
export async function testRaces(races: Record<string, Race>): Promise<void> {
  const rows = await openSharedRows();
  beforeAll(async () => {
    await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'owner')`, [ACCOUNT]);
  });
  test.each(Object.entries(races))('%s never deadlocks, whatever the order', async (_name, race) => {
    const run = await race(rows.db);
    const random = randomFrom(SEED);
    const numbers = Array.from({ length: ROWS }, (_, i) => i);
    for (let round = 0; round < ROUNDS; round += 1) {
      const results = await Promise.allSettled(
        Array.from({ length: CONNECTIONS }, () => {
          const order = shuffle(random, numbers);
          return rows.db.transaction((db) => run(db, order, round));
        }),
      );
      expect(
        results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : [])),
      ).toEqual([]);
    }
  });
}

/** The phone number of a row. */
export const numberOf = (i: number): string => String(919_800_000_000 + i);

/** Runs an INSERT with the account and the number of rows. @returns the ids that it returns */
export async function idsOf(db: EntityManager, insert: string): Promise<string[]> {
  const inserted: { id: string }[] = await db.query(insert, [ACCOUNT, ROWS]);
  return inserted.map(({ id }) => id);
}

/** Stores and claims a submission with as many messages as a batch has rows. @returns its id */
export async function claimed(db: EntityManager): Promise<string> {
  const recipients = Array.from({ length: ROWS }, (_, i) => numberOf(i));
  const submission = newSubmission({ accountId: ACCOUNT, recipients });
  await insertSubmissions(db, [submission]);
  await fanOut(db, [submission.id], 60);
  return submission.id;
}

/** Stores the ids that a gateway gave the messages of a submission: of each the first segment. */
export async function storeMessageIds(
  db: EntityManager,
  gateway: string,
  segments: number,
): Promise<StoredMessageId[]> {
  const submissionId = randomUUIDv7();
  const ids = Array.from({ length: ROWS }, (_, i) => {
    return {
      gateway,
      gatewayMessageId: `id ${i}`,
      submissionId,
      n: i + 1,
      segment: 1,
      segments,
      recipient: '1',
    };
  });
  await insertMessageIds(db, ids);
  const [{ day }]: [{ day: string }] = await db.query(`SELECT (now() AT TIME ZONE 'UTC')::date::text AS day`);
  const none = { status: null, errCode: null, gatewayCode: null, description: null, reportedAt: null };
  return ids.map((id) => ({ ...id, ...none, day, waitingSince: new Date() }));
}
