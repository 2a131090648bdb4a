import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  type GatewayRow,
  type NewGateway,
  deleteGateway,
  insertGateway,
  listStates,
  updateGateway,
} from '@signalbox/database/gateways/gateways';
import { gatewayRow } from '@signalbox/domain/sealed-rows';
import type { Gateway } from '@signalbox/gateways/gateway';
import type { GatewayKind } from '@signalbox/gateways/gateway-kind';
import type { OpenRow } from '@signalbox/gateways/open-row';
import { SIMULATOR_KIND } from '@signalbox/gateways/simulator/kind';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { openRows } from '@signalbox/test/rows';
import { ACCEPTED, FakeSmsGateway, openSms } from '../../test/open-sms.ts';
import { GatewayWatch } from './gateway-watch.ts';
import { Gateways } from './gateways.ts';
import { NO_HOST } from '../../test/no-host.ts';
import { openGateway } from './open-gateway.ts';
import { OutcomeCounts } from './outcome-counts.ts';
import { Router } from './router.ts';

test('a gateway opens, changes, pauses and closes with its row', async () => {
  await using t = await setup();
  const row = await t.insert('one');
  await t.watch.pass();
  expect(t.log).toEqual(['open one']);
  expect(t.gateways.hasRows).toBe(true);

  await updateGateway(t.db, row.id, { paused: true });
  await t.watch.pass();
  expect(t.gateways.find('one')?.row.paused).toBe(true);
  expect(t.log).toEqual(['open one']);

  await updateGateway(t.db, row.id, { settings: { delayMs: 5 } });
  await t.watch.pass();
  await updateGateway(t.db, row.id, { enabled: false });
  await t.watch.pass();
  expect(t.gateways.hasRows).toBe(true);
  await updateGateway(t.db, row.id, { enabled: true });
  await t.watch.pass();
  await deleteGateway(t.db, row.id);
  await t.watch.pass();

  expect(t.log).toEqual(['open one', 'open one', 'close one', 'close one', 'open one', 'close one']);
  expect(t.gateways.hasRows).toBe(false);
});

test('a gateway that takes its changes over stays open, with the receivers that it has', async () => {
  await using t = await setup();
  const attached: string[] = [];
  t.gateways.onOpen(({ name }) => void attached.push(name));
  const row = await t.insert('one', { ratePerSecond: 1 });
  await t.watch.pass();
  const before = t.gateways.find('one')?.gateway;

  await updateGateway(t.db, row.id, { ratePerSecond: 2 });
  await t.watch.pass();

  expect(t.gateways.find('one')).toMatchObject({ row: { ratePerSecond: 2 }, gateway: before });
  expect(t.log).toEqual(['open one', 'adopt one']);
  expect([attached, t.gateways.ratePerSecond]).toEqual([['standard', 'one'], 2]);
});

test('a row that cannot be opened says why, stops no other, and is no simulator', async () => {
  await using t = await setup();
  const id = randomUUIDv7();
  const foreign = new Sealer(randomBytes(32).toString('base64')).seal('{}', gatewayRow(id));
  const elsewhere = t.sealer.seal('{}', gatewayRow(randomUUIDv7()));
  await t.insert('fine');
  await t.insert('foreign', { id, sealedSecrets: foreign });
  await t.insert('moved', { sealedSecrets: elsewhere });
  await t.insert('settings', { settings: { delayMs: -1, other: 1 } });
  await t.insert('secret', { sealedSecrets: 'word' });
  await t.insert('kind', { kind: 'pigeon' });
  await t.insert('throws', { settings: { delayMs: 666 } });

  await t.watch.pass();

  const states = await listStates(t.db);
  const reasons = Object.fromEntries(states.map(({ name, reason }) => [name, reason]));
  expect(reasons).toEqual({
    fine: expect.any(String),
    foreign: 'Its credentials do not open with the SECRETS_KEY of this process: give them again.',
    moved: 'Its credentials do not open with the SECRETS_KEY of this process: give them again.',
    settings: expect.stringMatching(/settings\.(delayMs|other): .*settings\.(delayMs|other): /),
    secret: 'secrets.word: is no credential of a gateway of kind simulator.',
    kind: 'This version knows no gateways of kind pigeon: update it, or delete the gateway.',
    throws: 'It does not open: no such host',
  });
  expect(t.gateways.all.map(({ name }) => name)).toEqual(['standard', 'fine']);
  expect(states.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'fine up',
    'foreign down',
    'kind down',
    'moved down',
    'secret down',
    'settings down',
    'throws down',
  ]);
});

test('each worker sees the views of the others, and withdraws its own at its end', async () => {
  await using t = await setup();
  await t.insert('one');
  const other = t.another();
  await t.watch.pass();
  await other.pass();

  expect(await listStates(t.db)).toHaveLength(2);
  await other.close();
  expect(await listStates(t.db)).toHaveLength(1);
});

test('a worker continues with what it knows while the database does not answer', async () => {
  await using t = await setup();
  await t.insert('one');
  await t.watch.pass();
  await t.db.query('ALTER TABLE gateway RENAME TO missing');

  await expect(t.watch.pass()).rejects.toThrow('gateway');

  expect(t.gateways.find('one')?.gateway).toBeDefined();
});

test('the outcomes of gateways of rows are counted for all workers', async () => {
  await using t = await setup();
  await t.insert('one');
  await t.watch.pass();
  t.counts.countOutcomes('one', [
    { messageId: 'a', ...ACCEPTED },
    { messageId: 'b', result: 'unconfirmed' },
    { messageId: 'c', result: 'rejected', errCode: '003', description: 'Unknown number' },
  ]);
  t.counts.countOutcomes('standard', [{ messageId: 'a', ...ACCEPTED }]);
  t.counts.countReports('one', [
    { status: 'DELIVERED', errCode: '000', reportedAt: new Date() },
    { status: 'FAILED', errCode: '001', reportedAt: new Date() },
    { status: 'FAILED', errCode: '006', reportedAt: new Date() },
  ]);

  await t.watch.pass();

  expect(
    await t.db.query('SELECT gateway, accepted, refused, delivered, failed FROM gateway_minute'),
  ).toEqual([{ gateway: 'one', accepted: 1, refused: 1, delivered: 1, failed: 1 }]);
});

test('a gateway that opens later has its receiver before its first message', async () => {
  await using t = await openSms();
  await using rows = await openRows();
  const attached: string[] = [];
  t.gateways.onOpen(({ name }) => void attached.push(name));
  const row = { id: randomUUIDv7(), name: 'fake', channel: 'sms', kind: 'simulator' } as const;

  t.gateways.follow([{ ...(await insertGateway(rows.db, { ...DEFAULTS, ...row }))! }]);

  expect(attached).toEqual(['fake', 'fake']);
});

const DEFAULTS = { settings: {}, sealedSecrets: null, ratePerSecond: null, enabled: true, paused: false };

async function setup() {
  const rows = await openRows();
  const { db } = rows;
  const log: string[] = [];
  const sealer = new Sealer(randomBytes(32).toString('base64'));
  const logger = createLogger('test', 'silent');
  const kind: GatewayKind<{ delayMs: number }> = {
    ...SIMULATOR_KIND,
    open: (row: OpenRow<{ delayMs: number }>) => openLogged(row, log),
  };
  const host = { ...NO_HOST, logger, share: () => 1 };
  const open = (row: GatewayRow, current?: Gateway) =>
    openGateway(row, { sealer, host, publicUrl: null, kinds: [kind] }, current);
  const watchOf = (gateways: Gateways, counts = new OutcomeCounts()) =>
    new GatewayWatch(db, 'sms', { gateways, router: new Router(gateways), counts }, logger);
  const standard = new FakeSmsGateway(ACCEPTED, 'standard');
  const gateways = new Gateways(standard, open, logger);
  const counts = new OutcomeCounts();
  const insert = async (name: string, given: Record<string, unknown> = {}) => {
    const id = randomUUIDv7();
    const secret = given['sealedSecrets'];
    const sealed =
      typeof secret === 'string' ? { sealedSecrets: sealer.seal(`{"${secret}":"x"}`, gatewayRow(id)) } : {};
    const row = {
      id,
      name,
      channel: 'sms',
      kind: 'simulator',
      ...DEFAULTS,
      ...given,
      ...sealed,
    } as NewGateway;
    return (await insertGateway(db, row))!;
  };
  return {
    ...rows,
    sealer,
    log,
    gateways,
    counts,
    insert,
    watch: watchOf(gateways, counts),
    another: () => watchOf(new Gateways(standard, open, logger)),
  };
}

function openLogged({ name, settings }: OpenRow<{ delayMs: number }>, log: string[]): FakeSmsGateway {
  if (settings.delayMs === 666) throw new Error('no such\u0000 host');
  log.push(`open ${name}`);
  const gateway = new FakeSmsGateway(ACCEPTED, name);
  gateway.close = async () => void log.push(`close ${name}`);
  gateway.adopt = (row) => {
    const isAdopted = JSON.stringify(row.settings) === JSON.stringify(settings);
    if (isAdopted) log.push(`adopt ${name}`);
    return isAdopted;
  };
  return gateway;
}
