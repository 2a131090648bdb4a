import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { CHANNELS, type Channel } from '@signalbox/domain/channel';
import { LANES_OF } from '@signalbox/domain/lane';
import { newSubmission } from '@signalbox/test/rows';
import { openSharedRows } from '@signalbox/test/shared-rows';
import fc from 'fast-check';
import type { EntityManager } from 'typeorm';
import { rolledBack } from '../core/rolled-back.ts';
import { type NewSubmission, insertSubmissions } from './submissions.ts';

const rows = await openSharedRows();

const { accountId } = newSubmission();
const OPTED_OUT = [
  { recipient: '919800000001', sender: '' },
  { recipient: '919800000002', sender: 'SIGNALBX' },
];
await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'owner')`, [accountId]);
for (const { recipient, sender } of OPTED_OUT)
  await rows.db.query(
    `INSERT INTO opt_out (account_id, recipient, sender, id, source, created_at)
     VALUES ($1, $2, $3, uuidv7(), 'api', now())`,
    [accountId, recipient, sender],
  );

const text = fc.constantFrom('', 'a', 'NULL', 'ü, "{}" \\');
const recipient = fc.constantFrom('919800000001', '919800000002', '919800000003');

const plainCall = (channel: Channel): fc.Arbitrary<Partial<NewSubmission>> =>
  fc.record({
    lane: fc.constantFrom(...LANES_OF[channel]),
    sender: fc.constantFrom('SIGNALBX', '15550100001'),
    content: fc.record({ text, unicode: fc.boolean(), flash: fc.boolean() }),
    sealed: fc.option(fc.constant(Buffer.of(0, 255))),
    recipients: fc.array(recipient, { minLength: 1, maxLength: 3 }),
    custom: fc.option(fc.constant([['a', 'b'], []])),
    credits: fc.integer({ min: 1, max: 10 }),
    creditsEach: fc.option(fc.constant([1, 2])),
    campaign: fc.option(text),
    clientRef: fc.option(text),
    expiresAt: fc.option(fc.constant(new Date('2026-12-01T00:00:00.123Z'))),
  });

const plainCalls = fc.constantFrom(...CHANNELS).chain((channel) =>
  fc.array(
    plainCall(channel).map((given) => newSubmission({ accountId, channel, ...given })),
    { minLength: 1, maxLength: 4 },
  ),
);

test('plain calls are stored as they are together with a call that has an idempotency key', async () => {
  await fc.assert(
    fc.asyncProperty(plainCalls, async (calls) => {
      await rolledBack(rows.db, async (db) => {
        const idempotency = { path: '/v1/sms', key: 'key', bodyHash: Buffer.of(1) };
        const mixed = await store(db, calls, [newSubmission({ accountId, idempotency })]);

        expect(await store(db, calls, [])).toEqual(mixed);
      });
    }),
    { numRuns: 60 },
  );
});

/** Stores calls under new ids, in one batch with others. Returns their outcomes and rows; times are of the transaction. */
async function store(db: EntityManager, calls: NewSubmission[], others: NewSubmission[]): Promise<unknown> {
  const given = calls.map((call) => ({ ...call, id: randomUUIDv7() }));
  const outcomes = await insertSubmissions(db, [...given, ...others]);
  const stored: unknown = await db.query(
    `SELECT array_position($1::uuid[], s.id) AS place,
            to_jsonb(s) - 'id' AS submission,
            to_jsonb(q) - 'id' AS ready_sms,
            to_jsonb(c) - 'id' AS ready_chat
       FROM submission s
       LEFT JOIN ready_sms q ON q.id = s.id
       LEFT JOIN ready_chat c ON c.id = s.id
      WHERE s.id = ANY($1::uuid[])
      ORDER BY place`,
    [given.map(({ id }) => id)],
  );
  return { outcomes: outcomes.slice(0, calls.length), stored };
}
