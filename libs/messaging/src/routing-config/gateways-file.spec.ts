import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { listGateways } from '@signalbox/database/gateways/gateways';
import { listAllRoutes } from '@signalbox/database/gateways/routes';
import { Sealer } from '@signalbox/runtime/seal';
import { type TestRows, openRows } from '@signalbox/test/rows';
import { type AppliedFile, applyGatewaysFile } from './apply-gateways-file.ts';
import { readGatewaysFile } from './gateways-file.ts';

const EXAMPLE = readFileSync(new URL('../../../../examples/gateways.yml', import.meta.url), 'utf8');
const path = join(tmpdir(), `gateways-${randomUUID()}.yml`);
const sealer = new Sealer(Buffer.alloc(32).toString('base64'));
let rows: TestRows;

beforeAll(async () => {
  rows = await openRows();
});
afterAll(async () => {
  await rm(path, { force: true });
  await rows[Symbol.asyncDispose]();
});
beforeEach(() => rows.db.query(`TRUNCATE gateway, gateway_state, route`));

async function apply(text: string, environment: Record<string, string> = {}): Promise<AppliedFile> {
  await writeFile(path, text);
  return applyGatewaysFile(rows.db, sealer, path, environment);
}

const NOTHING = { created: [], changed: [], disabled: [] };
const states = async () => [
  ...(await listGateways(rows.db)).map(({ name, enabled, source, version }) => [
    name,
    enabled,
    source,
    version,
  ]),
  ...(await listAllRoutes(rows.db)).map(({ name, enabled, source, version }) => [
    name,
    enabled,
    source,
    version,
  ]),
];

test('the example is applied, and a second time changes nothing', async () => {
  expect(await apply(EXAMPLE)).toEqual({ ...NOTHING, created: ['first', 'second', 'codes', 'default'] });

  const before = await states();
  expect(await apply(EXAMPLE)).toEqual(NOTHING);

  expect(await states()).toEqual(before);
  expect(before).toEqual([
    ['first', true, 'file', 1],
    ['second', true, 'file', 1],
    ['codes', true, 'file', 1],
    ['default', true, 'file', 1],
  ]);
});

test('what the file names no longer is disabled, and a row of the API is left alone', async () => {
  await apply(EXAMPLE);
  await rows.db.query(
    `INSERT INTO gateway (id, name, channel, kind, settings, enabled) VALUES (uuidv7(), 'by-hand', 'sms', 'simulator', '{}', false)`,
  );

  const applied = await apply(
    'gateways:\n  - { name: first, channel: sms, kind: simulator, settings: { delayMs: 9 } }',
  );

  expect(applied).toEqual({ created: [], changed: ['first'], disabled: ['codes', 'default', 'second'] });
  expect(await states()).toEqual([
    ['by-hand', false, 'api', 1],
    ['first', true, 'file', 2],
    ['second', false, 'file', 2],
    ['codes', false, 'file', 2],
    ['default', false, 'file', 2],
  ]);
});

test('another default route takes the place of the one that the file names no longer', async () => {
  const text = (name: string) =>
    `gateways:\n  - { name: g1, channel: sms, kind: simulator }\nroutes:\n  - { name: ${name}, targets: [{ gateway: g1 }] }`;
  await apply(text('old'));

  expect(await apply(text('new'))).toEqual({ ...NOTHING, created: ['new'], disabled: ['old'] });
});

const ONE = 'gateways: [{ name: g1, channel: sms, kind: simulator }]';

test.each<[string, string, string[]]>([
  ['a broken file', 'gateways:\n  - {', ['line 2: ']],
  [
    'a variable without quotes inside braces',
    'gateways:\n  - { name: g1, secrets: { password: ${PASSWORD} } }',
    ['line 2: A variable inside { } needs quotes: "${NAME}"'],
  ],
  ['a list', '- a', ['line 1: The file must hold `gateways` and `routes`.']],
  ['a key twice', 'gateways: []\ngateways: []', ['line 2: Map keys must be unique']],
  ['an unknown part', 'gateways: []\nroute: []', ['line 2: route is unknown']],
  [
    'an unknown key',
    'gateways:\n  - name: g1\n    channel: sms\n    kind: simulator\n    rate: 5',
    ['line 5: gateways[0].rate is unknown'],
  ],
  [
    'a bad setting',
    'gateways:\n  - name: g1\n    channel: sms\n    kind: simulator\n    settings:\n      delayMs: soon',
    ['line 6: gateways[0].settings.delayMs must '],
  ],
  [
    'an unknown setting',
    'gateways:\n  - name: g1\n    channel: sms\n    kind: simulator\n    settings:\n      delay: 1',
    ['line 6: gateways[0].settings.delay'],
  ],
  [
    'a credential in clear text',
    'gateways:\n  - name: g1\n    channel: sms\n    kind: simulator\n    secrets:\n      password: hunter2',
    ['line 6: gateways[0].secrets.password must be ${NAME}'],
  ],
  [
    'a variable that is not set',
    'gateways:\n  - name: g1\n    channel: sms\n    kind: simulator\n    secrets:\n      password: ${MISSING}',
    ['line 6: gateways[0].secrets.password needs the variable MISSING'],
  ],
  [
    'a route to no gateway',
    'routes:\n  - name: default\n    targets:\n      - gateway: gone',
    ['line 4: routes[0].targets[0].gateway names no gateway: there is no "gone"'],
  ],
  [
    'a route without a gateway',
    'routes:\n  - name: r1\n    targets: []\n  - name: r2\n    targets: [{ gateways: g1 }]',
    [
      'line 3: routes[0].targets must name a gateway',
      'line 5: routes[1].targets[0].gateways is unknown',
      'line 5: routes[1].targets[0].gateway must be the name of a gateway',
    ],
  ],
  [
    'a circle of fallbacks',
    `${ONE}\nroutes:\n  - name: default\n    targets: [{ gateway: g1 }]\n    fallbacks: [g1]`,
    ['line 5: routes[0].fallbacks[0] must not name g1 again'],
  ],
  [
    'two default routes',
    `${ONE}\nroutes:\n  - { name: r1, targets: [{ gateway: g1 }] }\n  - { name: r2, targets: [{ gateway: g1 }] }`,
    ['line 4: routes[1].match must limit the route: "r1" takes every message'],
  ],
  [
    'several gateways without a route',
    'gateways:\n  - { name: g1, channel: sms, kind: simulator }\n  - { name: g2, channel: sms, kind: simulator }',
    ['line 1: gateways cannot be saved. The channel sms has several gateways (g1, g2)'],
  ],
])('%s is refused by its line, and changes nothing', async (_, text, problems) => {
  const error = (await apply(text).catch((thrown: unknown) => thrown)) as Error;

  const found = error.message.split('\n').map((line, i) => line.slice(0, problems[i]?.length ?? 200));
  expect(found.slice(0, problems.length)).toEqual(problems);
  expect(await states()).toEqual([]);
});

const UNKNOWN_ACCOUNT = '01a209a2-efaa-70ff-97ec-480828454bdb';

test('every mistake of a file is named in one run, by line', async () => {
  const text = `gateways:
  - name: g1
    channel: sms
    kind: smpp
    rate: 5
    settings: { host: "a b", systemId: acme, tls: true }
    secrets: { password: 12345 }
  - { name: g2, channel: sms, kind: simulator, settings: { delay: 1 } }
  - { name: g2, channel: sms, kind: simulator }
  - { name: g3, channel: sms, kind: http, settings: { preset: kannel, baseUrl: "http://10.0.0.1", username: u }, secrets: { token: "\${GONE}", callbackSecret: "\${KEY}" } }
routes:
  - { name: r1, priority: high, targets: [{ gateway: g1 }, { gateway: gone }], match: { countries: [UK] } }
  - { name: r2, targets: [{ gateway: g3 }], match: 5 }
  - { name: r3, targets: [{ gateway: g2 }], match: { accounts: [${UNKNOWN_ACCOUNT}] } }
`;

  const error = (await apply(text, { KEY: 'a key of the vendor' }).catch(
    (thrown: unknown) => thrown,
  )) as Error;

  expect(error.message.split('\n')).toEqual([
    'line 5: gateways[0].rate is unknown: remove it, or correct its name',
    'line 6: gateways[0].settings.host must be a host name or an IP address, without a scheme or a port',
    'line 6: gateways[0].settings.tls is an object: {} to trust the certificates of the system, or with ca, servername or rejectUnauthorized',
    'line 7: gateways[0].secrets.password must be ${NAME}, the variable of the environment that holds it',
    'line 8: gateways[1].settings.delay is no setting of a gateway of kind simulator: see GET /v1/gateway-kinds',
    'line 9: gateways[2].name is "g2" again, as in line 8: choose another name, or remove one of the two',
    'line 10: gateways[3].secrets.token needs the variable GONE, which the environment does not set',
    'line 10: gateways[3].settings.baseUrl is a private address: if that is meant, set settings.allowPrivateNetwork to true',
    'line 12: routes[0].priority must be an integer number',
    'line 12: routes[0].targets[1].gateway names no gateway: there is no "gone"; create it first, or name one of g2',
    'line 12: routes[0].match.countries[0] must be the ISO 3166-1 code of a country, as IN or GB; "UK" is none',
    'line 13: routes[1].match must be an object',
    'line 14: routes[2].match.accounts[0] must be the id of an account: GET /v1/accounts lists them',
  ]);
  expect(await states()).toEqual([]);
});

test('variables are filled in wherever they stand', () => {
  const text =
    'gateways:\n  - name: g1\n    channel: sms\n    kind: smpp\n    settings: { host: "${HOST}.example" }\n    secrets: { password: "${PASSWORD}" }';

  const { spec } = readGatewaysFile(text, { HOST: 'smsc', PASSWORD: 'a: b # c' });

  expect(spec.gateways?.[0]).toMatchObject({
    settings: { host: 'smsc.example' },
    secrets: { password: 'a: b # c' },
  });
});

test('no alias makes a small file a large one', () => {
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghi'
    .split('')
    .map(
      (name, i) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefghi'[i]}`).join(', ')}]`,
    )
    .join('\n')}`;

  expect(() => readGatewaysFile(bomb, {})).toThrow(/alias/);
});

test.each(['', '\n', '# none\r\n'])('an empty file, as %j, changes nothing', async (text) => {
  await apply(EXAMPLE);
  const before = await states();

  await expect(apply(text)).rejects.toThrow(/^line 1: The file is empty, .* write `gateways: \[\]`/);

  expect(await states()).toEqual(before);
  await apply('gateways: []\r\nroutes: []\r\n');
  expect((await states()).map(([, enabled]) => enabled)).toEqual([false, false, false, false]);
});

test('a variable that ends with a line break is named', async () => {
  const file = EXAMPLE.replace('ratePerSecond: 200', 'description: "${NOTE}"');
  await expect(apply(file, { NOTE: 'secret\n' })).rejects.toThrow(
    /needs the variable NOTE, which ends with a line break: remove it/,
  );
});

test('a file that cannot be read is named with its setting', async () => {
  await expect(applyGatewaysFile(rows.db, sealer, tmpdir(), {})).rejects.toMatchObject({
    message: `GATEWAYS_FILE names ${tmpdir()}, which cannot be read (EISDIR): name a file that this process may read`,
    code: 'EISDIR',
  });
});
