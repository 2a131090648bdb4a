import { hashApiKey } from '@signalbox/domain/api-key';
import type { Role } from '@signalbox/domain/role';
import { expect } from '@jest/globals';
import { type ApiUnderTest, type Call, expectFailure } from './api-under-test.ts';
import { locksOf } from './locks-under-test.ts';
import { type Browser, signIn } from './users-under-test.ts';

/** The id of a caller, and its calls. */
export interface TestCaller {
  id: string;
  call: Browser['call'];
}

/** A statement that ends a caller, and the code of the refusal. */
export interface Ending {
  statement: string;
  code: string;
}

export const SESSION: Ending = {
  statement: 'DELETE FROM user_session WHERE user_id = $1',
  code: 'session_expired',
};

/** Ends callers while a call of theirs waits for the lock of its account or user. */
export function endedCallersOf(t: ApiUnderTest) {
  const { lockRows, untilWaiting } = locksOf(t);

  /** Expects that a call whose caller ends while it waits is refused, and changes nothing that `read` returns. */
  async function expectRefused(
    caller: TestCaller,
    call: Call,
    read: () => Promise<unknown>,
    { statement, code } = SESSION,
  ): Promise<void> {
    await using lock = await lockRows('SELECT FROM account, app_user FOR NO KEY UPDATE');
    const answer = caller.call(call);
    await Promise.race([untilWaiting('api', 1), answer]); // one that does not wait fails below
    await t.db.query(statement, [caller.id]);
    const before = await read();
    await lock.release();
    expectFailure(await answer, 401, code);
    expect(await read()).toEqual(before);
  }

  async function withKey(account: string): Promise<TestCaller> {
    const apikey = await t.addKey(account);
    return { id: await idOfKey(apikey), call: (call) => t.call({ ...call, headers: { apikey } }) };
  }

  async function withSession(account: string, role: Role = 'admin'): Promise<TestCaller> {
    const { email, call } = await signIn(t, role, account);
    return { id: await idOfUser(email), call };
  }

  async function idOfUser(email: string): Promise<string> {
    const found = await t.db.query('SELECT id FROM app_user WHERE email = $1', [email]);
    return (found as [{ id: string }])[0].id;
  }

  async function idOfKey(key: string): Promise<string> {
    const found = await t.db.query('SELECT id FROM api_key WHERE hash = $1', [hashApiKey(key)]);
    return (found as [{ id: string }])[0].id;
  }

  return { expectRefused, withKey, withSession, idOfUser, idOfKey };
}

/** Reads all rows of tables, without the times at which keys were used. */
export function readTables(t: ApiUnderTest, tables: readonly string[]): Promise<unknown> {
  const rows = (table: string): string =>
    `(SELECT jsonb_agg(row ORDER BY row) FROM (SELECT to_jsonb(x) - 'last_used_at' AS row FROM ${table} x) AS r)`;
  const columns = tables.map((table) => `${rows(table)} AS "${table}"`);
  return t.db.query(`SELECT ${columns.join(', ')}`);
}
