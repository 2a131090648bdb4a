import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { GuardedAccount } from '@signalbox/database/verify/conversions';
import { CachedLookup } from '@signalbox/runtime/cached-lookup';
import type { Findings } from '../src/verify/guard-findings.ts';
import { decideSends } from '../src/verify/send-batch.ts';
import { type Answer, expectFailure, startSharedApi } from './api-under-test.ts';
import { askCode, createConfig } from './verify-under-test.ts';

const t = await startSharedApi({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } });

/** Adds an account with a configuration and a policy. */
async function setUp(name: string, policy: object, config: object = {}) {
  const apikey = await t.addKey(name);
  const configId = await createConfig(t, config, apikey);
  const setPolicy = (body: object): Promise<Answer> =>
    t.call({ method: 'PATCH', path: '/v1/verify/policy', body, headers: { apikey } });
  expect((await setPolicy(policy)).status).toBe(200);
  const [{ account_id: accountId }] = await t.db.query(
    `SELECT account_id FROM verification_config WHERE id = $1`,
    [configId],
  );
  return {
    apikey,
    accountId: accountId as string,
    configId,
    setPolicy,
    ask: (to: string): Promise<Answer<string>> => askCode(t, configId, to, { apikey }),
    get: <D>(path: string): Promise<Answer<D>> => t.call({ method: 'GET', path, headers: { apikey } }),
  };
}

/** Stores outcomes of codes of the last hour. */
async function record(
  accountId: string,
  dimension: string,
  value: string,
  ended: number,
  verified: number,
): Promise<void> {
  await t.db.query(
    `INSERT INTO verification_conversion (account_id, dimension, value, hour, ended, verified) VALUES ($1, $2, $3, date_trunc('hour', now(), 'UTC') - interval '1 hour', $4, $5)`,
    [accountId, dimension, value, ended, verified],
  );
}

async function makeUsesOlder(accountId: string, ms: number): Promise<void> {
  await t.db.query(
    `UPDATE verification_quota SET uses = (SELECT jsonb_agg(u || jsonb_build_object('at', (u ->> 'at')::float8 - $2)) FROM jsonb_array_elements(uses) AS u)
      WHERE account_id = $1`,
    [accountId, ms],
  );
}

test('a change of the policy keeps the settings that it omits', async () => {
  const a = await setUp('Policy', {});
  const defaults = {
    countries: null,
    maxSendsPerPrefixPerHour: 100,
    dailyCredits: 5_000,
    fraudGuard: 'block',
    minConversionPercent: 20,
    minSends: 50,
    guardAllowList: [],
  };
  expect((await a.get('/v1/verify/policy')).body.data).toEqual(defaults);

  await a.setPolicy({ countries: ['IN'], dailyCredits: 5 });
  const changed = await a.setPolicy({ dailyCredits: null, fraudGuard: 'off' });

  expect(changed.body.data).toEqual({
    ...defaults,
    countries: ['IN'],
    dailyCredits: null,
    fraudGuard: 'off',
  });
  expect((await a.get('/v1/verify/policy')).body.data).toEqual(changed.body.data);
});

test.each<[string, object, string[]]>([
  ['a country in small letters', { countries: ['in'] }, ['countries[0] invalid_format']],
  ['a country twice', { countries: ['IN', 'IN'] }, ['countries duplicate_item']],
  ['a code of no country', { countries: ['DE', 'UK'] }, ['countries[1] not_allowed_value']],
  ['a text as countries', { countries: 'IN' }, ['countries invalid_type']],
  ['a negative budget', { dailyCredits: -1 }, ['dailyCredits out_of_range']],
  ['no sends per prefix', { maxSendsPerPrefixPerHour: 0 }, ['maxSendsPerPrefixPerHour out_of_range']],
  ['an unknown guard', { fraudGuard: 'on' }, ['fraudGuard not_allowed_value']],
  ['more than all', { minConversionPercent: 101 }, ['minConversionPercent out_of_range']],
  ['a plus in the allow list', { guardAllowList: ['+91'] }, ['guardAllowList[0] invalid_format']],
])('%s is refused', async (_name, body, broken) => {
  expectFailure(
    await t.call({ method: 'PATCH', path: '/v1/verify/policy', body }),
    400,
    'invalid_request',
    broken,
  );
});

test.each([{}, { dailyCredit: 5 }])(
  'a change to %j leaves the defaults of the account to us',
  async (change) => {
    const a = await setUp(`Unchanged ${JSON.stringify(change)}`, change);

    expect(await t.db.query('SELECT FROM verification_policy WHERE account_id = $1', [a.accountId])).toEqual(
      [],
    );
  },
);

test('a territory to which no numbers belong can be listed', async () => {
  const a = await setUp('Antarctica', { countries: ['AQ', 'IN'] });

  expect((await a.ask('919800000100')).status).toBe(200);
});

test('a change of another setting keeps stored countries that are refused today', async () => {
  const a = await setUp('Stored', { countries: ['GB'] });
  await t.db.query(`UPDATE verification_policy SET countries = '{UK}' WHERE account_id = $1`, [a.accountId]);

  expect((await a.setPolicy({ dailyCredits: 5 })).body.data).toMatchObject({ countries: ['UK'] });
});

test('codes to numbers of no country can be allowed', async () => {
  const a = await setUp('No country', { countries: ['ZZ'] });

  expect((await a.ask('881612345678')).status).toBe(200);
});

test('codes are sent to the listed countries only', async () => {
  const a = await setUp('Countries', { countries: ['IN', 'DE'] });

  expect((await a.ask('919800000100')).status).toBe(200);
  expectFailure(await a.ask('15550100001'), 403, 'country_not_allowed');
  expectFailure(await a.ask('881612345678'), 403, 'country_not_allowed'); // of no country
  expectFailure(
    await (await setUp('Nowhere', { countries: [] })).ask('919800000100'),
    403,
    'country_not_allowed',
  );
});

test('numbers with the same prefix share an hourly limit, also concurrently', async () => {
  const a = await setUp('Prefixes', { maxSendsPerPrefixPerHour: 10 });

  const answers = await Promise.all(Array.from({ length: 15 }, (_, i) => a.ask(String(919_800_001_000 + i))));

  const refused = answers.filter(({ status }) => status === 429);
  expect([answers.filter(({ status }) => status === 200).length, refused.length]).toEqual([10, 5]);
  expectFailure(refused[0]!, 429, 'otp_send_limit');
  expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThan(3_590);
  expect((await a.ask('919800011000')).status).toBe(200);
  await makeUsesOlder(a.accountId, 3_900_000);
  expect((await a.ask('919800001100')).status).toBe(200);
});

test('daily credits count SMS parts and renew at midnight UTC', async () => {
  const a = await setUp('Budget', { dailyCredits: 5 }, { text: `{{code}} ${'x'.repeat(160)}` });

  const answers = await Promise.all([1, 2, 3].map((i) => a.ask(`91980000${i}000`)));

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2); // of two parts each
  const refused = answers.find(({ status }) => status !== 200)!;
  expectFailure(refused, 429, 'otp_send_limit');
  const untilMidnight = 86_400 - (Math.floor(Date.now() / 1000) % 86_400);
  expect(Math.abs(Number(refused.headers['retry-after']) - untilMidnight)).toBeLessThan(10);
  await makeUsesOlder(a.accountId, 86_400_000);
  expect((await a.ask('919800004000')).status).toBe(200);
});

test('the monitoring fraud guard flags suspect codes and sends them', async () => {
  const a = await setUp('Monitor', { fraudGuard: 'monitor', minSends: 50 });
  await record(a.accountId, 'prefix', '91980000', 60, 3);

  const sent = await a.ask('919800000100');

  expect(sent.status).toBe(200);
  const found = await a.get<{ guardReason: string }>(`/v1/verify/${sent.body.data}`);
  expect(found.body.data.guardReason).toBe('prefix 91980000: 3 of 60 codes were verified in 24 hours');
  expect((await a.get('/v1/verify/guard')).body.data).toEqual([
    {
      dimension: 'prefix',
      value: '91980000',
      ended: 60,
      verified: 3,
      conversion: 0.05,
      suspect: true,
      reason: expect.any(String),
      flagged: 1,
      blocked: 0,
    },
  ]);
});

test('the monitoring fraud guard counts codes that are sent, and none that a limit refuses', async () => {
  const a = await setUp('Monitor limits', { fraudGuard: 'monitor' });
  await record(a.accountId, 'prefix', '91980000', 60, 3);

  const answers = await Promise.all(Array.from({ length: 20 }, () => a.ask('919800000100')));

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await a.get('/v1/verify/guard')).body.data).toMatchObject([{ flagged: 1, blocked: 0 }]);
});

test('the blocking fraud guard gives a reason and spares its allow list', async () => {
  const a = await setUp('Block', { fraudGuard: 'block', minSends: 50, minConversionPercent: 20 });
  await record(a.accountId, 'prefix', '91980000', 60, 3);
  await record(a.accountId, 'prefix', '91980001', 49, 0);
  await record(a.accountId, 'prefix', '91980002', 60, 12);
  await record(a.accountId, 'country', 'DE', 100, 19);

  const blocked = await a.ask('919800000100');
  expectFailure(blocked, 403, 'verification_blocked');
  expect(blocked.body.message).toBe(
    'The fraud guard blocks this: prefix 91980000: 3 of 60 codes were verified in 24 hours.',
  );
  expect([(await a.ask('919800010100')).status, (await a.ask('919800020100')).status]).toEqual([200, 200]);
  expectFailure(await a.ask('4915112345678'), 403, 'verification_blocked');
  expect(
    (await a.get<{ blocked: number }[]>('/v1/verify/guard')).body.data.map((each) => each.blocked),
  ).toEqual([1, 1, 0]);

  await a.setPolicy({ guardAllowList: ['9198000001'] });
  expect((await a.ask('919800000100')).status).toBe(200);
  await a.setPolicy({ guardAllowList: [], fraudGuard: 'off' });
  expect((await a.ask('919800000200')).status).toBe(200);
  expect(await t.db.query(`SELECT FROM verification_number WHERE sends = '[]'`)).toEqual([]);
});

test('a key whose codes are never verified is suspect for a day', async () => {
  const a = await setUp('Key', { fraudGuard: 'block' });
  const [{ id }] = await t.db.query(`SELECT id FROM api_key WHERE account_id = $1`, [a.accountId]);
  await record(a.accountId, 'key', id as string, 1_000, 1);

  expectFailure(await a.ask('919800000100'), 403, 'verification_blocked');
  await t.db.query(
    `UPDATE verification_conversion SET hour = hour - interval '24 hours' WHERE account_id = $1`,
    [a.accountId],
  );
  expect((await a.ask('919800000100')).status).toBe(200);
});

test('an attacked prefix does not block the other codes of its key and its country', async () => {
  const a = await setUp('Attacked', { fraudGuard: 'block' });
  const [{ id }] = await t.db.query(`SELECT id FROM api_key WHERE account_id = $1`, [a.accountId]);
  await record(a.accountId, 'prefix', '91980000', 60, 0);
  await record(a.accountId, 'key', id as string, 70, 10);
  await record(a.accountId, 'country', 'IN', 70, 10);
  await record(a.accountId, 'country', 'DE', 70, 10);

  expectFailure(await a.ask('919800000100'), 403, 'verification_blocked');
  expect((await a.ask('919811110100')).status).toBe(200);
  expectFailure(await a.ask('4915112345678'), 403, 'verification_blocked'); // another country
  const guard = await a.get<{ value: string; suspect: boolean }[]>('/v1/verify/guard');
  expect(Object.fromEntries(guard.body.data.map(({ value, suspect }) => [value, suspect]))).toEqual({
    91980000: true,
    IN: false,
    DE: true,
    [id as string]: false,
  });
});

test('a key is suspect for codes that no suspect prefix explains', async () => {
  const a = await setUp('Spread', { fraudGuard: 'block' });
  const [{ id }] = await t.db.query(`SELECT id FROM api_key WHERE account_id = $1`, [a.accountId]);
  await record(a.accountId, 'prefix', '91980000', 60, 1);
  await record(a.accountId, 'key', id as string, 160, 6);

  const blocked = await a.ask('919811110100');

  expectFailure(blocked, 403, 'verification_blocked');
  expect(blocked.body.message).toBe(
    `The fraud guard blocks this: key ${id}: 5 of 100 codes were verified in 24 hours, not counting suspect prefixes.`,
  );
});

test('the findings of the guard are kept for some time, and read again for a changed threshold', async () => {
  const a = await setUp('Kept', { fraudGuard: 'block' });
  await record(a.accountId, 'country', 'IN', 160, 6);
  expectFailure(await a.ask('919811110100'), 403, 'verification_blocked');
  await record(a.accountId, 'prefix', '91980000', 150, 0); // would explain the country

  expectFailure(await a.ask('919811110100'), 403, 'verification_blocked');
  await a.setPolicy({ minSends: 60 });
  expect((await a.ask('919811110100')).status).toBe(200);
});

test('the findings of the guard are read while no number is locked', async () => {
  const a = await setUp('Unlocked', { fraudGuard: 'block' });
  const recipient = '919811110100';
  expect((await a.ask(recipient)).status).toBe(200);
  await record(a.accountId, 'country', 'IN', 160, 6);
  const find = async (accounts: GuardedAccount[]): Promise<Findings[]> => {
    await t.db.query('SELECT FROM verification_number WHERE account_id = $1 FOR UPDATE NOWAIT', [
      a.accountId,
    ]);
    return accounts.map(() => new Map([['country IN', 'found']]));
  };
  const lookup = new CachedLookup(find, { freshMs: 0, maxCached: 10, keyOf: ({ accountId }) => accountId });
  const caller = { accountId: a.accountId, keyId: randomUUIDv7() } as KeyHolder;
  const call = {
    id: randomUUIDv7(),
    caller,
    configId: a.configId,
    recipient,
    country: 'IN',
    idempotency: null,
  };

  expect(await decideSends(t.db, [call], lookup)).toMatchObject([
    { result: 'refused', error: { message: 'The fraud guard blocks this: country IN: found.' } },
  ]);
});

test('statistics are grouped by day, configuration and country of the account', async () => {
  const a = await setUp('Stats', {});
  const [{ id: configId }] = await t.db.query(`SELECT id FROM verification_config WHERE account_id = $1`, [
    a.accountId,
  ]);
  for (const [day, country, sent, verified] of [
    ['2026-11-01', 'IN', 10, 9],
    ['2026-11-02', 'IN', 30, 3],
    ['2026-11-02', 'DE', 10, 8],
  ]) {
    await t.db.query(
      `INSERT INTO verification_stat (account_id, day, config_id, country, sent, verified) VALUES ($1, $2, $3, $4, $5, $6)`,
      [a.accountId, day, configId, country, sent, verified],
    );
    await t.db.query(
      `INSERT INTO verification_latency (account_id, day, config_id, country, seconds, verified) VALUES ($1, $2, $3, $4, 7, $5), ($1, $2, $3, $4, 90, 1)`,
      [a.accountId, day, configId, country, Number(verified) - 1],
    );
  }
  const stats = (query: string): Promise<Answer<{ total: unknown; groups: unknown[] }>> =>
    a.get(`/v1/verify/stats?from=2026-11-01&to=2026-11-30${query}`);

  const byDay = (await stats('')).body.data;
  expect(byDay.total).toEqual({ sent: 50, verified: 20, conversion: 0.4, p50Seconds: 7, p95Seconds: 90 });
  expect(byDay.groups).toEqual([
    { day: '2026-11-02', sent: 40, verified: 11, conversion: 0.275, p50Seconds: 7, p95Seconds: 90 },
    { day: '2026-11-01', sent: 10, verified: 9, conversion: 0.9, p50Seconds: 7, p95Seconds: 90 },
  ]);
  expect((await stats('&by=country&country=DE')).body.data.groups).toEqual([
    { country: 'DE', sent: 10, verified: 8, conversion: 0.8, p50Seconds: 7, p95Seconds: 90 },
  ]);
  expect((await stats(`&by=config&configId=${configId}`)).body.data.groups).toMatchObject([
    { configId, sent: 50 },
  ]);
  expect(
    (await t.call<{ groups: unknown[] }>({ method: 'GET', path: '/v1/verify/stats' })).body.data.groups,
  ).toEqual([]);
});

test('statistics reach as far back as their refusal says', async () => {
  const stats = (from: string) =>
    t.call({ method: 'GET', path: `/v1/verify/stats?from=${from}&to=2026-12-31` });

  expect((await stats('2025-12-31')).status).toBe(200);
  const refused = await stats('2025-12-30');
  expectFailure(refused, 400, 'invalid_request', ['from out_of_range']);
  expect(refused.body.message).toBe('from must be at most 365 days before to');
});

test.each([
  ['from=2026-02-30', ['from invalid_format']],
  ['from=0000-01-01&to=0000-01-31', ['from invalid_format', 'to invalid_format']],
  ['to=0000-01-10', ['to invalid_format']],
  ['to=0001-01-15', ['to invalid_format']],
  ['from=1969-12-31', ['from invalid_format']],
  ['from=yesterday&by=hour', ['from invalid_format', 'by not_allowed_value']],
  ['from=2026-01-02&to=2026-01-01', ['to out_of_range']],
  ['from=2020-01-01&to=2026-01-01', ['from out_of_range']],
  ['country=in', ['country invalid_format']],
])('statistics of ?%s are refused', async (query, broken) => {
  expectFailure(
    await t.call({ method: 'GET', path: `/v1/verify/stats?${query}` }),
    400,
    'invalid_request',
    broken,
  );
});
