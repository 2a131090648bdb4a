import { expect, test } from '@jest/globals';
import { type Answer, type Call, startSharedApi } from './api-under-test.ts';
import { locksOf } from './locks-under-test.ts';
import { type Browser, signIn } from './users-under-test.ts';

const t = await startSharedApi();
const { lockRows, untilWaiting } = locksOf(t);

/** An operator, and the account that they act in. */
interface Operator {
  browser: Browser;
  userId: string;
  accountId: string;
}

const RESETS: ((other: Operator) => Call)[] = [
  ({ userId }) => ({ path: `/v1/users/${userId}/link` }),
  ({ userId }) => ({ method: 'DELETE', path: `/v1/users/${userId}` }),
];

test.each(RESETS.map((call) => [call({ userId: '{id}' } as Operator).method ?? 'POST', call] as const))(
  'of two operators who %s each other from two accounts, the second has no session any more',
  async (_, call) => {
    const [one, other] = [await operatorIn('One'), await operatorIn('Other')];
    await using lock = await lockRows(`SELECT FROM app_user WHERE is_operator FOR UPDATE`);

    const answers = Promise.all([one.browser.call(call(other)), other.browser.call(call(one))]);
    await untilWaiting('api', 2);
    await lock.release();

    expect(statusesOf(await answers)).toEqual([200, 401]);
  },
);

test('two operators who change the account of the other both do', async () => {
  const [one, other] = [await operatorIn('One'), await operatorIn('Other')];
  const rename = ({ accountId }: Operator): Call => ({
    method: 'PATCH',
    path: `/v1/accounts/${accountId}`,
    body: { smsPerSecond: 7 },
  });
  await using lock = await lockRows(`SELECT FROM account FOR NO KEY UPDATE`);

  const answers = Promise.all([one.browser.call(rename(other)), other.browser.call(rename(one))]);
  await untilWaiting('api', 2);
  await lock.release();

  expect(statusesOf(await answers)).toEqual([200, 200]);
});

/** Signs in a new operator, who acts in an account. */
async function operatorIn(account: string): Promise<Operator> {
  const browser = await signIn(t, 'operator', account);
  const [{ userId, accountId }] = (await t.db.query(
    `SELECT u.id AS "userId", a.id AS "accountId" FROM app_user u, account a WHERE u.email = $1 AND a.name = $2`,
    [browser.email, account],
  )) as [{ userId: string; accountId: string }];
  await browser.call({ method: 'PUT', path: '/v1/session/account', body: { accountId } });
  return { browser, userId, accountId };
}

function statusesOf(answers: Answer[]): number[] {
  return answers.map(({ status }) => status).toSorted((a, b) => a - b);
}
