import { beforeEach, expect, test } from '@jest/globals';
import { GATEWAY_KINDS } from '@signalbox/gateways/registry';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type Answer, expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';

interface Gateway {
  name: string;
  settings: object;
  secrets: Record<string, boolean>;
  oldSecretsUntil: string | null;
  ratePerSecond: number | null;
  enabled: boolean;
  paused: boolean;
  source: string;
  state: { status: string; reason: string };
  idRule: object | null;
}

interface Kind {
  kind: string;
  settings: { name: string; type: string }[];
  secrets: { name: string }[];
  presets: { name: string; requires: string[]; allows: string[] }[];
}

const t = await startSharedApi();
beforeEach(() => t.db.query(`TRUNCATE gateway, gateway_state, route, gateway_id_rule, idempotency_key`));

const SIMULATOR = { name: 'sim-1', channel: 'sms', kind: 'simulator' };

const create = (given: object = {}, headers = {}): Promise<Answer<Gateway>> =>
  t.call({ path: '/v1/gateways', body: { ...SIMULATOR, ...given }, headers });
const get = (path: string, headers = {}): Promise<Answer<Gateway>> =>
  t.call({ method: 'GET', path: `/v1/gateways${path}`, headers });
const change = (name: string, body: object): Promise<Answer<Gateway>> =>
  t.call({ method: 'PATCH', path: `/v1/gateways/${name}`, body });
const remove = (name: string): Promise<Answer> => t.call({ method: 'DELETE', path: `/v1/gateways/${name}` });
const post = (path: string, body?: object): Promise<Answer<Gateway>> =>
  t.call({ path: `/v1/gateways/${path}`, ...(body && { body }) });
const addRoute = (given: object = {}): Promise<Answer<{ id: string }>> =>
  t.call({
    path: '/v1/routes',
    body: { name: 'default', targets: [{ gateway: 'sim-1' }], ...given },
  });

test('a refused gateway names every mistake of the request', async () => {
  const body = {
    name: 'Bad Name',
    kind: 'smpp',
    settings: { port: 0, hots: 'a' },
    secrets: { password: 7, pin: 'x' },
  };
  const refused = await create(body);
  expect(refused.status).toBe(400);
  const fields = refused.body.error.details.map(({ field }) => field);
  expect(fields.toSorted()).toEqual([
    'name',
    'secrets.password',
    'secrets.pin',
    'settings.host',
    'settings.hots',
    'settings.port',
    'settings.systemId',
  ]);
});

test('a refused change of a gateway names every mistake of the request', async () => {
  await create({
    kind: 'smpp',
    settings: { host: 'a.test', port: 2775, systemId: 'a' },
    secrets: { password: 'x' },
  });

  const refused = await change('sim-1', {
    ratePerSecond: 0,
    kind: 'http',
    settings: { port: 0, hots: 'a', window: 'x', host: null },
    secrets: { password: 7, pin: 'x' },
  });

  expectFailure(refused, 400, 'invalid_request', [
    'ratePerSecond out_of_range',
    'kind unknown_field',
    'secrets.password invalid_type',
    'settings.hots invalid_setting',
    'settings.host invalid_setting',
    'settings.port invalid_setting',
    'settings.window invalid_setting',
    'secrets.pin invalid_setting',
  ]);
  const elsewhere = await change('none', { ratePerSecond: 0, settings: { port: 0 } });
  expectFailure(elsewhere, 400, 'invalid_request', ['ratePerSecond out_of_range']);
});

test('a gateway is created, found, listed, changed and deleted', async () => {
  const created = await create({ settings: { delayMs: 5 }, ratePerSecond: 10 });
  expect([created.status, created.body.data]).toMatchObject([
    201,
    { name: 'sim-1', settings: { delayMs: 5 }, secrets: {}, ratePerSecond: 10, enabled: true, source: 'api' },
  ]);
  expect((await get('/sim-1')).body.data).toMatchObject({ name: 'sim-1', state: { status: 'unknown' } });
  expect((await get('')).body).toMatchObject({ message: '1 gateway.', nextCursor: null });

  const changed = await change('sim-1', { ratePerSecond: null, settings: { delayMs: 7 } });
  expect(changed.body.data).toMatchObject({ ratePerSecond: null, settings: { delayMs: 7 } });
  expect((await change('sim-1', { settings: { delayMs: null } })).body.data.settings).toEqual({});

  expect((await remove('sim-1')).body.data).toEqual({ name: 'sim-1' });
  expectFailure(await get('/sim-1'), 404, 'gateway_not_found');
});

test('callbacks by a replaced secret are accepted for two days', async () => {
  const [before, after] = ['the-key-of-before', 'the-key-of-today'];
  await create({
    name: 'vendor',
    kind: 'http',
    settings: { preset: 'vonage', apiKey: 'k' },
    secrets: { token: 't', callbackSecret: before },
    enabled: false,
  });
  const callBack = async (key: string): Promise<number> =>
    (await t.call({ path: `/v1/callbacks/vendor?key=${key}`, headers: { apikey: null }, body: {} })).status;
  const until = (key: string, status: number) => waitFor(async () => (await callBack(key)) === status);
  expect([await callBack(before), await callBack(after)]).toEqual([200, 401]);

  const { body, text } = await change('vendor', { secrets: { callbackSecret: after } });

  const days = (Date.parse(body.data.oldSecretsUntil ?? '') - Date.now()) / 86_400_000;
  expect([days > 1.99 && days <= 2, text.includes(before), text.includes('sealed')]).toEqual([
    true,
    false,
    false,
  ]);
  await until(after, 200);
  expect([await callBack(before), await callBack('another-key-of-ours')]).toEqual([200, 401]);

  const { oldSecretsUntil } = body.data;
  const same = { secrets: { callbackSecret: after }, ratePerSecond: 5 };
  expect((await change('vendor', same)).body.data).toMatchObject({ oldSecretsUntil });
  await t.db.query(
    `UPDATE gateway SET old_secrets = jsonb_set(old_secrets, '{0,until}', '"2026-01-01T00:00:00.000Z"')`,
  );
  await until(before, 401);
  expect((await get('/vendor')).body.data).toMatchObject({ oldSecretsUntil: null });
});

test('a gateway without callbacks keeps no replaced credentials', async () => {
  await create({
    kind: 'smpp',
    settings: { host: 'a.test', port: 2775, systemId: 'a' },
    secrets: { password: 'x' },
  });

  expect((await change('sim-1', { secrets: { password: 'y' } })).body.data.oldSecretsUntil).toBeNull();
  expect(await t.db.query('SELECT old_secrets FROM gateway')).toEqual([{ old_secrets: [] }]);
});

test.each<[string, object, Record<string, string>, object]>([
  ['smpp', { host: 'a.test', systemId: 'a' }, { password: 'x' }, { host: 'b.test' }],
  [
    'http',
    { preset: 'infobip', baseUrl: 'https://a.example' },
    { token: 'x', callbackSecret: 'sixteen letters or more' },
    { baseUrl: 'https://b.example' },
  ],
  [
    'cloud-api',
    { businessAccountId: '102290129340398' },
    { accessToken: 'x', appSecret: 'y', verifyToken: 'z' },
    { baseUrl: 'https://b.example' },
  ],
])(
  'a change of the host of a gateway of kind %s needs its credentials',
  async (kind, settings, secrets, moved) => {
    await create({ kind, settings, secrets, channel: kind === 'cloud-api' ? 'chatapp' : 'sms' });

    const refused = await change('sim-1', { settings: moved });

    const fields = Object.keys(secrets).map((name) => `secrets.${name} invalid_setting`);
    expectFailure(refused, 400, 'invalid_request', fields);
    expect((await get('/sim-1')).body.data.settings).toMatchObject(settings);
    expect((await change('sim-1', { settings: moved, secrets })).status).toBe(200);
    expect((await change('sim-1', { settings: { ...settings, ...moved } })).status).toBe(200);
  },
);

test('a gateway is paused and resumed, and shows the best state of its workers', async () => {
  await create();
  expect((await post('sim-1/pause')).body.data).toMatchObject({ paused: true, state: { status: 'paused' } });
  expect((await post('sim-1/resume')).body.data).toMatchObject({ paused: false });
  await t.db.query(
    `INSERT INTO gateway_state (gateway_id, worker_id, status, reason, since, detail)
     SELECT id, uuidv7(), state, 'It is ' || state || '.', now(), '{"inFlight": 3}'
       FROM gateway, unnest(ARRAY['down', 'up']) AS state`,
  );

  const { body } = await t.call<{ workers: object[] }>({ method: 'GET', path: '/v1/gateways/sim-1/state' });

  expect(body).toMatchObject({ message: 'It is up.', data: { status: 'up', reason: 'It is up.' } });
  expect(body.data.workers).toHaveLength(2);
  await t.db.query(`UPDATE gateway_state SET seen_at = now() - interval '11 seconds'`);
  expect((await get('/sim-1')).body.data.state.reason).toMatch(/^Workers open/);
  await t.db.query(`UPDATE gateway SET updated_at = now() - interval '6 seconds'`);
  expect((await get('/sim-1')).body.data.state.reason).toMatch(/No worker .* Check that the sms-worker runs/);
});

test.each<[string, object, string[]]>([
  ['with a bad name', { name: 'Sim_1' }, ['name invalid_format']],
  ['with the name of a simulator', { name: 'simulator' }, ['name not_allowed_value']],
  ['of an unknown kind', { kind: 'pigeon' }, ['kind not_allowed_value']],
  ['of a channel that its kind does not carry', { channel: 'chatapp' }, ['channel not_allowed_value']],
  ['with a setting of the wrong type', { settings: { delayMs: 'x' } }, ['settings.delayMs invalid_setting']],
  ['with an unknown setting', { settings: { delay: 1 } }, ['settings.delay invalid_setting']],
  ['with an unknown credential', { secrets: { password: 'x' } }, ['secrets.password invalid_setting']],
  ['with a credential that is no text', { secrets: { password: 7 } }, ['secrets.password invalid_type']],
  ['whose settings are a list', { settings: [] }, ['settings invalid_type']],
  ['with a rate of nothing', { ratePerSecond: 0 }, ['ratePerSecond out_of_range']],
])('a gateway %s is refused by its field', async (_, given, broken) => {
  const refused = await create(given);

  expect(refused.status).toBe(400);
  const fields = [...new Set(refused.body.error.details.map(({ field, rule }) => `${field} ${rule}`))];
  expect(fields).toEqual(broken);
  expect((await get('')).body.data).toEqual([]);
});

test.each<[string, object, RegExp]>([
  ['kind', { kind: 'smpp' }, /^kind cannot change: create a gateway with another name/],
  ['channel', { channel: 'chatapp' }, /^channel cannot change/],
  ['name', { name: 'sim-2' }, /^name cannot change/],
  ['paused', { paused: true }, /^paused is not set here: use POST .*pause/],
  ['ratePerSec', { ratePerSec: 5 }, /^ratePerSec is not a field of this request/],
])('a change of the field %s of a gateway is refused with what to do', async (field, body, message) => {
  await create();

  const refused = await change('sim-1', { enabled: false, ...body });

  expectFailure(refused, 400, 'invalid_request', [`${field} unknown_field`]);
  expect(refused.body.message).toMatch(message);
  expect((await get('/sim-1')).body.data.enabled).toBe(true);
});

test('a name is given once, and a repeat with the same Idempotency-Key creates one gateway', async () => {
  const headers = { 'idempotency-key': 'once' };
  const [first, second] = [await create({}, headers), await create({}, headers)];
  expect(second.body.data).toEqual(first.body.data);
  expectFailure(await create(), 409, 'name_exists');
});

test('a second gateway of a channel needs a route that decides', async () => {
  await create();
  const refused = await create({ name: 'sim-2' });
  expectFailure(refused, 400, 'routing_undecided');
  expect(refused.body.message).toMatch(/channel sms has several gateways \(sim-1, sim-2\) and no route/);

  await create({ name: 'sim-2', enabled: false });
  expectFailure(await change('sim-2', { enabled: true }), 400, 'routing_undecided');
  const { id } = (await addRoute({ fallbacks: ['sim-2'] })).body.data;
  expect((await change('sim-2', { enabled: true })).status).toBe(200);

  expectFailure(await t.call({ method: 'DELETE', path: `/v1/routes/${id}` }), 400, 'routing_undecided');
  const disable = { method: 'PATCH', path: `/v1/routes/${id}`, body: { enabled: false } };
  expectFailure(await t.call(disable), 400, 'routing_undecided');
});

test('a gateway that a route names is not deleted', async () => {
  await create();
  await addRoute({ name: 'india' });

  const refused = await remove('sim-1');

  expectFailure(refused, 409, 'gateway_in_use');
  expect(refused.body.message).toMatch(/named by the route "india"\. Remove it there, or delete the route/);
});

test('the rule of its ids is shown and revoked', async () => {
  await create();
  await t.db.query(`INSERT INTO gateway_id_rule VALUES ('sim-1', 'hex:8', 31, now())`);
  const description = 'the decimal id in hexadecimal, padded with zeros to 8 digits';
  expect((await get('/sim-1')).body.data.idRule).toMatchObject({ form: 'hex:8', description, hits: 31 });

  const revoked = await t.call<Gateway>({ method: 'DELETE', path: '/v1/gateways/sim-1/id-rule' });

  expect(revoked.body.data.idRule).toBeNull();
});

test('a test message goes to the gateway alone, in the account of the caller', async () => {
  await create();
  const body = { sender: 'SIGNALBX', to: '+919800000100', text: 'Hi' };

  const sent = await t.call<{ messageId: string }[]>({ path: '/v1/gateways/sim-1/test', body });

  expect(sent.body).toMatchObject({ totalCount: 1, data: [{ recipient: '919800000100' }] });
  expect(await t.db.query(`SELECT content, lane FROM submission WHERE id = $1`, [sent.body.id])).toEqual([
    { content: { text: 'Hi', unicode: false, flash: false, via: 'sim-1' }, lane: 'TRANS' },
  ]);
  expectFailure(await post('sim-1/test', { ...body, to: '12' }), 400, 'invalid_request', [
    'to invalid_format',
  ]);
  expectFailure(await post('sim-1/test', { ...body, sender: '!' }), 400, 'invalid_request', [
    'sender invalid_format',
  ]);
  expectFailure(await post('sim-9/test', body), 404, 'gateway_not_found');
  await change('sim-1', { enabled: false });
  expectFailure(await post('sim-1/test', body), 400, 'invalid_request', ['name not_allowed_value']);
});

test('an unknown gateway is the same for every operation, and each needs the scope ops', async () => {
  const calls = [
    { method: 'GET', path: '/v1/gateways/none' },
    { method: 'GET', path: '/v1/gateways/none/state' },
    { method: 'PATCH', path: '/v1/gateways/none', body: { enabled: true } },
    { method: 'DELETE', path: '/v1/gateways/none' },
    { path: '/v1/gateways/none/pause' },
    { path: '/v1/gateways/none/resume' },
    { method: 'DELETE', path: '/v1/gateways/none/id-rule' },
  ];
  const answers = [];
  for (const call of calls) answers.push(sameForAll(await t.call(call)));
  expect(new Set(answers).size).toBe(1);
  const apikey = await t.addKey('Tenant', ['send', 'verify', 'templates', 'webhooks', 'manage']);
  for (const call of [
    ...calls,
    { path: '/v1/gateways', body: SIMULATOR },
    { path: '/v1/gateways/none/test', body: {} },
  ])
    expectFailure(await t.call({ ...call, headers: { apikey } }), 403, 'scope_missing');
});

test('a name that cannot be stored is refused as such', async () => {
  const answer = await t.call({ method: 'PATCH', path: '/v1/gateways/%00', body: { enabled: true } });

  expectFailure(answer, 400, 'invalid_request', ['name invalid_character']);
});

test('a webhook names a gateway that exists as its provider', async () => {
  const webhook = { name: 'of one gateway', endPoint: 'http://127.0.0.1/', provider: 'sim-1' };
  expectFailure(await t.call({ path: '/v1/webhooks', body: webhook }), 400, 'invalid_request', [
    'provider not_allowed_value',
  ]);

  await create();

  expect((await t.call({ path: '/v1/webhooks', body: webhook })).status).toBe(201);
});

test('the kinds name every setting with its type, default and limits, and every credential', async () => {
  const { body } = await t.call<Kind[]>({ method: 'GET', path: '/v1/gateway-kinds' });

  const smpp = body.data.find(({ kind }) => kind === 'smpp')!;
  const setting = (name: string) => smpp.settings.find((each) => each.name === name);
  expect(body.data.map(({ kind }) => kind)).toEqual(GATEWAY_KINDS.map(({ kind }) => kind));
  expect(setting('host')).toMatchObject({ type: 'text', required: true, default: null });
  expect(setting('port')).toMatchObject({ type: 'integer', default: 2775, minimum: 1, maximum: 65_535 });
  expect(setting('bindMode')).toMatchObject({ type: 'choice', choices: ['transceiver', 'pair'] });
  expect(setting('tls')).toMatchObject({ type: 'object', required: false });
  expect(setting('tls.ca')).toMatchObject({ type: 'text', required: false });
  expect(setting('statuses')).toMatchObject({ type: 'json', default: [] });
  expect(smpp.secrets).toMatchObject([{ name: 'password', required: false }]);
  expect(smpp.presets).toEqual([]);
  const { presets } = body.data.find(({ kind }) => kind === 'http')!;
  const presetOf = (name: string) => presets.find((each) => each.name === name);
  expect(presetOf('twilio')).toMatchObject({
    requires: ['accountSid'],
    allows: ['messagingServiceSid', 'baseUrl'],
  });
  expect(presetOf('kannel')).toMatchObject({ requires: ['baseUrl', 'username'], allows: [] });
});
