import { randomUUIDv7 } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { type Answer, expectFailure, startSharedApi } from './api-under-test.ts';

interface Route {
  id: string;
  name: string;
  priority: number;
  match: object;
}

interface Explanation {
  route: string | null;
  gateways: string[];
  reason: string;
  routes: {
    name: string;
    isTaken: boolean;
    passedOver: string | null;
    gateways: { problem: string | null }[];
  }[];
}

const t = await startSharedApi();
beforeEach(async () => {
  await t.db.query(`TRUNCATE gateway, gateway_state, route, idempotency_key`);
  for (const name of ['sim-1', 'sim-2'])
    await t.call({
      path: '/v1/gateways',
      body: { name, channel: 'sms', kind: 'simulator', enabled: name === 'sim-1' },
    });
});

const DEFAULT = { name: 'default', targets: [{ gateway: 'sim-1' }], fallbacks: ['sim-2'] };

const create = (given: object = {}, headers = {}): Promise<Answer<Route>> =>
  t.call({ path: '/v1/routes', body: { ...DEFAULT, ...given }, headers });
const change = (id: string, body: object): Promise<Answer<Route>> =>
  t.call({ method: 'PATCH', path: `/v1/routes/${id}`, body });
const explain = (query: string): Promise<Answer<Explanation>> =>
  t.call({ method: 'GET', path: `/v1/routes/explain?${query}` });

test('a route is created with its defaults, found, listed in order, changed and deleted', async () => {
  const { status, body } = await create();
  expect([status, body.data]).toMatchObject([
    201,
    {
      name: 'default',
      priority: 100,
      enabled: true,
      match: {},
      targets: [{ gateway: 'sim-1', weight: 1, cost: null }],
      fallbacks: ['sim-2'],
      policy: { failoverAfterMs: 30_000, resendUnconfirmed: false },
      source: 'api',
    },
  ]);
  const first = await create({ name: 'codes', priority: 1, match: { types: ['OTP'], countries: [] } });
  expect(first.body.data.match).toEqual({ types: ['OTP'] });
  const { body: listed } = await t.call<Route[]>({ method: 'GET', path: '/v1/routes' });
  expect(listed.data.map(({ name }) => name)).toEqual(['codes', 'default']);
  const path = `/v1/routes/${body.data.id}`;
  expect((await t.call({ method: 'GET', path })).body.data).toEqual(body.data);

  const changed = await change(body.data.id, {
    match: { prefixes: ['91'] },
    targets: [{ gateway: 'sim-1', cost: 2 }],
  });

  expect(changed.body.data).toMatchObject({ match: { prefixes: ['91'] }, targets: [{ cost: 2, weight: 1 }] });
  expect((await t.call({ method: 'DELETE', path })).body.data).toEqual({ id: body.data.id });
  expectFailure(await t.call({ method: 'GET', path }), 404, 'message_route_not_found');
});

test.each<[string, object, string[]]>([
  ['without a gateway', { targets: [] }, ['targets too_few_items']],
  ['to an unknown gateway', { targets: [{ gateway: 'gone' }] }, ['targets[0].gateway unknown_gateway']],
  ['that falls back in a circle', { fallbacks: ['sim-2', 'sim-1'] }, ['fallbacks[1] duplicate_item']],
  [
    'with a weight below nothing',
    { targets: [{ gateway: 'sim-1', weight: -1 }] },
    ['targets[0].weight out_of_range'],
  ],
  ['with a bad prefix', { match: { prefixes: ['+91'] } }, ['match.prefixes[0] invalid_format']],
  ['with a bad country', { match: { countries: ['India'] } }, ['match.countries[0] invalid_format']],
  [
    'with bad hours',
    { match: { hours: { from: '8', to: '21:00', zone: 'UTC' } } },
    ['match.hours.from invalid_format'],
  ],
  [
    'in an unknown zone',
    { match: { hours: { from: '08:00', to: '21:00', zone: 'Mars' } } },
    ['match.hours.zone invalid_format'],
  ],
  ['with a misspelled match', { match: { prefix: ['91'] } }, ['match.prefix unknown_field']],
  ['with a misspelled policy', { policy: { resend: true } }, ['policy.resend unknown_field']],
  ['with a misspelled weight', { targets: [{ gateway: 'sim-1', wt: 1 }] }, ['targets[0].wt unknown_field']],
  ['with an unknown field', { fallback: ['sim-2'] }, ['fallback unknown_field']],
  [
    'with an unknown country',
    { match: { countries: ['IN', 'UK'] } },
    ['match.countries[1] not_allowed_value'],
  ],
  ['of an unknown account', { match: { accounts: [randomUUIDv7()] } }, ['match.accounts[0] unknown_account']],
  ['of an account without an id', { match: { accounts: ['shop'] } }, ['match.accounts[0] invalid_format']],
])('a route %s is refused by its field', async (_, given, broken) => {
  expectFailure(await create(given), 400, 'invalid_request', broken);
});

test('a change of a route names the fields that it does not take', async () => {
  const { id } = (await create()).body.data;
  expectFailure(await change(id, { name: 'other' }), 400, 'invalid_request', ['name unknown_field']);
  expectFailure(await change(id, { match: { type: ['OTP'] } }), 400, 'invalid_request', [
    'match.type unknown_field',
  ]);
});

test('a channel has one default route, and a name is given once', async () => {
  await create();
  expectFailure(await create({ name: 'other' }), 400, 'invalid_request', ['match second_default']);
  expectFailure(await create({ match: { types: ['OTP'] } }), 409, 'name_exists');
  const { id } = (await create({ name: 'other', match: { types: ['OTP'] } })).body.data;
  expectFailure(await change(id, { match: {} }), 400, 'invalid_request', ['match second_default']);
});

test('an explanation names the route, and why each other one is skipped', async () => {
  await create();
  await create({ name: 'codes', priority: 1, match: { types: ['OTP'] } });
  expect((await explain('recipient=919812345678')).body.data).toMatchObject({
    gateways: [],
    reason: 'No gateway of the route takes messages now, so the message waits.',
  });
  await t.db.query(
    `INSERT INTO gateway_state (gateway_id, worker_id, status, reason, since, detail)
     SELECT id, uuidv7(), 'up', 'It is up.', now(), '{}' FROM gateway`,
  );

  const { body } = await explain('recipient=%2B919812345678&type=trans&sender=SIGNALBX');

  expect(body).toMatchObject({
    message: 'sim-1 takes it.',
    data: {
      gateways: ['sim-1'],
      routes: [
        { name: 'codes', isTaken: false, passedOver: 'Its types do not match.' },
        {
          name: 'default',
          isTaken: true,
          passedOver: null,
          gateways: [{ problem: null }, { gateway: 'sim-2' }],
        },
      ],
    },
  });
  expect((await explain('recipient=919812345678&type=OTP')).body.data.routes[0]?.isTaken).toBe(true);
});

test('without a gateway an explanation names the simulator, and none while one is disabled', async () => {
  await t.db.query('TRUNCATE gateway, gateway_state');
  expect((await explain('recipient=919812345678')).body.data.reason).toMatch(
    /its simulator takes the message/,
  );

  const gateway = { name: 'sim-1', channel: 'sms', kind: 'simulator', enabled: false };
  await t.call({ path: '/v1/gateways', body: gateway });

  expect((await explain('recipient=919812345678')).body.data.reason).toBe(
    'No gateway takes messages now, so the message waits.',
  );
});

test('an explanation of an account takes the routes of that account', async () => {
  const { body } = await create();
  await t.addKey('Shop');
  const [{ id: accountId }] = await t.db.query(`SELECT id FROM account WHERE name = 'Shop'`);
  const own = await create({ name: 'shop', priority: 1, match: { accounts: [accountId] } });
  const routeOf = async (query: string) => (await explain(`recipient=919812345678${query}`)).body.data.route;

  expect(await routeOf('')).toBe(body.data.id);
  expect(await routeOf(`&accountId=${accountId}`)).toBe(own.body.data.id);
});

test('an explanation needs a recipient and knows its parameters', async () => {
  expectFailure(await explain(''), 400, 'invalid_request', ['recipient required']);
  expectFailure(await explain('recipient=1&type=x&accountId=y'), 400, 'invalid_request', [
    'recipient invalid_format',
    'type not_allowed_value',
    'accountId invalid_format',
  ]);
  expectFailure(await explain('recipient=919812345678&from=1'), 400, 'unknown_parameter', [
    'from unknown_parameter',
  ]);
});

test('an unknown route is absent, and every operation needs the scope ops', async () => {
  const path = `/v1/routes/${randomUUIDv7()}`;
  const calls = [
    { method: 'GET', path },
    { method: 'PATCH', path, body: { priority: 1 } },
    { method: 'DELETE', path },
    { method: 'DELETE', path: '/v1/routes/x' },
  ];
  for (const call of calls) expectFailure(await t.call(call), 404, 'message_route_not_found');
  const headers = { apikey: await t.addKey('Tenant', ['send', 'manage']) };
  for (const call of [...calls, { path: '/v1/routes', body: DEFAULT }, { method: 'GET', path: '/v1/routes' }])
    expectFailure(await t.call({ ...call, headers }), 403, 'scope_missing');
});

test('the routes are ordered together, and a partial order is refused', async () => {
  for (const [name, countries] of [
    ['default', []],
    ['india', ['IN']],
    ['germany', ['DE']],
  ] as const)
    await create({ name, match: { countries } });
  const order = (names: string[]): Promise<Answer<Route[]>> =>
    t.call({ method: 'PUT', path: '/v1/routes/order', body: { names } });

  const ordered = await order(['germany', 'india', 'default']);

  expect(ordered.body.data.map(({ name, priority }) => [name, priority])).toEqual([
    ['germany', 10],
    ['india', 20],
    ['default', 30],
  ]);
  const partial = await order(['india', 'germany', 'gone']);
  expectFailure(partial, 400, 'invalid_request', ['names not_allowed_value']);
  expect(partial.body.message).toContain('default, gone');
  const { body } = await t.call<Route[]>({ method: 'GET', path: '/v1/routes' });
  expect(body.data.map(({ name }) => name)).toEqual(['germany', 'india', 'default']);
});
