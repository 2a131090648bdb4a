import { randomUUIDv7 } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { addSender } from '@signalbox/test/rows';
import { upsertOptOuts } from '../accounts/opt-outs.ts';
import { applyIdentityNotices } from './identity-notices.ts';

const BUSINESS = '919811111111';
const [owner, other] = [randomUUIDv7(), randomUUIDv7()];
const rows = await openSharedRows();

beforeAll(async () => {
  await addSender(rows.db, owner, BUSINESS);
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'x')`, [other]);
});

const apply = (notice: object, sender = BUSINESS): Promise<void> =>
  applyIdentityNotices(rows.db, [{ sender, ...notice }]);

const optOut = (recipient: string, accountId = owner): Promise<void> => {
  const rest = { id: randomUUIDv7(), sender: '', source: 'api', reason: null, createdAt: new Date() };
  return upsertOptOuts(rows.db, accountId, [{ recipient, ...rest }]);
};

async function optedOut(...recipients: string[]): Promise<string[]> {
  const found: { recipient: string }[] = await rows.db.query(
    `SELECT recipient FROM opt_out WHERE account_id = $1 AND recipient = ANY($2)`,
    [owner, recipients],
  );
  return recipients.filter((each) => found.some(({ recipient }) => recipient === each));
}

test.each([
  ['number', '919800000101', 'IN.a1', '919800000101'],
  ['user id', '919800000102', 'IN.a2', 'IN.a2'],
])(
  'an opt-out of the %s holds for both once a status shows them together',
  async (_, number, userId, known) => {
    await optOut(known);

    await apply({ number, userId });

    expect(await optedOut(number, userId)).toEqual([number, userId]);
  },
);

test('an opt-out that follows a status holds for both identities', async () => {
  await apply({ number: '919800000103', userId: 'IN.b1' });

  await optOut('IN.b1');

  expect(await optedOut('919800000103', 'IN.b1')).toEqual(['919800000103', 'IN.b1']);
});

test('an opt-out of a replaced number or user id holds for those that replace it', async () => {
  await optOut('919800000104');
  await optOut('IN.c1');

  await apply({ number: '919800000105', userId: 'IN.c5', previous: '919800000104' });
  await apply({ userId: 'IN.c2', previous: 'IN.c1' });

  expect(await optedOut('919800000105', 'IN.c5', 'IN.c2')).toEqual(['919800000105', 'IN.c5', 'IN.c2']);
});

test('a person who takes over a number from somebody else is not linked with the old user id', async () => {
  await apply({ number: '919800000106', userId: 'IN.d1' });
  await apply({ number: '919800000107', userId: 'IN.d1' });

  await optOut('919800000106');

  expect(await optedOut('IN.d1', '919800000107')).toEqual([]);
});

test('a pair that is known is not written again', async () => {
  const pair = { number: '919800000108', userId: 'IN.e1' };
  const version = async (): Promise<unknown> =>
    rows.db.query(`SELECT xmin FROM chat_user WHERE user_id = $1`, [pair.userId]);
  await apply(pair);
  const first = await version();

  await apply(pair);

  expect(await version()).toEqual(first);
});

test('only the account that owns the business number learns an identity', async () => {
  await optOut('919800000109', other);

  await apply({ number: '919800000109', userId: 'IN.f1' });
  await apply({ number: '919800000110', userId: 'IN.f2' }, '919833333333');

  expect(await optedOut('919800000109', 'IN.f1')).toEqual([]);
  expect(await rows.db.query(`SELECT FROM chat_user WHERE user_id = 'IN.f2'`)).toEqual([]);
});
