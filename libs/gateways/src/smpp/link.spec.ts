import http from 'node:http';
import net from 'node:net';
import { readCredentials } from '@signalbox/test/certificates';
import { describe, expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { WAIT } from '../../test/gateway.conformance.ts';
import { hurriedClock } from '../../test/hurried-clock.ts';
import { listen } from '../../test/listen.ts';
import { ManualClock } from '../../test/manual-clock.ts';
import { MemorySlots, memoryHost } from '../../test/smpp-host.ts';
import { type OpenSmppOptions, openBound, openSmpp, smppRow, smsOf } from '../../test/smpp-gateway.ts';
import { type SmscOptions, startSmsc } from '../../test/smsc.ts';
import type { GatewayState } from '../gateway.ts';
import { SMPP_KIND } from './kind.ts';

/** The seconds from a state to the next attempt that its reason names. */
function delayOf({ reason, since }: GatewayState): number {
  const [, time] = /; next attempt at (\d\d:\d\d:\d\d) UTC\.$/.exec(reason) ?? [];
  const at = Date.parse(`${since.toISOString().slice(0, 10)}T${time}Z`);
  const seconds = (at - since.getTime()) / 1_000;
  return seconds < -1 ? seconds + 86_400 : seconds;
}

/** Opens a gateway that cannot bind, and returns its state once it says so. */
async function reasonWithout(bind: OpenSmppOptions) {
  await using t = openSmpp({ clock: hurriedClock(5), ...bind });
  await waitFor(() => t.gateway.state().status === 'down');
  expect(await t.gateway.submit([smsOf({ messageId: 'id:1' })], WAIT)).toMatchObject([
    { result: 'throttled', scope: 'gateway', reason: t.gateway.state().reason },
  ]);
  const state = t.gateway.state();
  return { reason: state.reason, state, logs: t.host.logs };
}

const refusing =
  (status: number): SmscOptions['script'] =>
  ({ sequence }, { send }) =>
    send({ command: 'bind_transceiver_resp', sequence, status, systemId: '', tlvs: [] });

describe('a gateway that cannot bind says why', () => {
  test.each([
    [0x0d, '0x0D (bind failed)', 60],
    [0x0e, '0x0E (invalid password)', 60],
    [0x0f, '0x0F (invalid system id)', 60],
    [0x53, '0x53 (invalid system type)', 60],
    [0x05, '0x05 (already bound)', 10],
    [0x08, '0x08 (system error)', 1],
    [0x03, '0x03 (invalid command id): check the server, or set "bindMode" to "pair"', 1],
  ])('status %d', async (status, words, seconds) => {
    await using smsc = await startSmsc({ script: refusing(status) });
    const { reason, logs, state } = await reasonWithout({ port: smsc.port });
    expect(reason).toContain(words);
    expect(state.detail).toMatchObject({ failing: true });
    // up to half longer by chance, and in whole seconds
    expect(delayOf(state)).toBeGreaterThanOrEqual(seconds - 1);
    expect(delayOf(state)).toBeLessThanOrEqual(seconds * 1.5 + 1);
    const isRefused = seconds === 60;
    expect(logs.filter(({ level }) => level === 'error')).toHaveLength(isRefused ? 1 : 0);
  });
});

describe('a wrong address is described', () => {
  test('a server that speaks HTTP', async () => {
    await using server = await listen(http.createServer());
    const { reason } = await reasonWithout({ port: server.port });
    expect(reason).toContain('speaks HTTP, not SMPP: check the port');
  });

  test('a port where nothing listens', async () => {
    const server = await listen(net.createServer());
    await server[Symbol.asyncDispose]();
    const { reason } = await reasonWithout({ port: server.port });
    expect(reason).toContain(`Nothing listens at 127.0.0.1:${server.port}`);
  });

  test('a server that never answers the bind', async () => {
    await using server = await listen(net.createServer());
    const { reason } = await reasonWithout({ port: server.port, clock: hurriedClock(200) });
    expect(reason).toContain('does not answer the bind within 10 s');
    expect(reason).toContain('set "bindMode" to "pair"');
  });

  test('a name that does not exist', async () => {
    const { reason } = await reasonWithout({ port: 2775, settings: { host: 'smsc.invalid' } });
    expect(reason).toContain('The name "smsc.invalid" was not found');
  });
});

describe('a TLS connection that fails is described', () => {
  test('a certificate that is not trusted', async () => {
    await using smsc = await startSmsc({ credentials: readCredentials('untrusted') });
    const tls = { rejectUnauthorized: true };
    const { reason } = await reasonWithout({ port: smsc.port, settings: { tls } });
    expect(reason).toMatch(/is not trusted \(\w+\): set "tls.ca"/);
  });

  test('a certificate of another host', async () => {
    const { key, cert } = readCredentials('trusted');
    await using smsc = await startSmsc({ credentials: { key, cert } });
    const tls = { ca: cert, servername: 'smsc.example', rejectUnauthorized: true };
    const { reason } = await reasonWithout({ port: smsc.port, settings: { tls } });
    expect(reason).toContain('names another host: set "tls.servername"');
  });

  test('TLS towards a server without it', async () => {
    await using server = await listen(http.createServer());
    const tls = { rejectUnauthorized: true };
    const { reason } = await reasonWithout({ port: server.port, settings: { tls } });
    expect(reason).toContain('does not speak TLS as expected');
  });

  test('TLS towards a server that waits for a bind', async () => {
    await using server = await listen(net.createServer());
    const tls = { rejectUnauthorized: true };
    const { reason } = await reasonWithout({
      port: server.port,
      settings: { tls },
      clock: hurriedClock(20),
    });
    expect(reason).toContain('does not answer the TLS handshake: check the port, or leave "tls" out');
  });

  test('a server that closes the connection instead of an answer, also during the next attempt', async () => {
    let binds = 0;
    await using smsc = await startSmsc({
      script: (_, { socket }) => {
        binds += 1;
        if (binds === 1) socket.end();
      },
    });
    const closed = 'before the bind was answered: check the port, "tls", the credentials';
    await using t = openSmpp({ port: smsc.port, clock: hurriedClock(5) });
    const reason = () => t.gateway.state().reason;
    await waitFor(() => t.gateway.state().status === 'down');
    expect(reason()).toContain(closed);
    await waitFor(() => binds === 2);
    expect(reason()).toMatch(/^Connecting to .*; the last attempt failed: the server closed the connection/);
  });

  test('no TLS towards a server with it', async () => {
    await using smsc = await startSmsc({ credentials: readCredentials('trusted') });
    const { reason } = await reasonWithout({ port: smsc.port });
    expect(reason).toMatch(/speaks TLS: set "tls"|closed the connection/);
  });
});

describe('the binds of a gateway', () => {
  test('are shared by its workers, and the others stand by', async () => {
    await using smsc = await startSmsc();
    const slots = new MemorySlots();
    const open = () =>
      openSmpp({
        port: smsc.port,
        settings: { binds: 2 },
        host: memoryHost(slots, [], () => 0.2),
        clock: hurriedClock(20),
      });
    const workers = Array.from({ length: 5 }, open);
    const up = () => workers.filter(({ gateway }) => gateway.state().status === 'up');
    const standing = () =>
      workers.filter(({ gateway }) => gateway.state().reason.startsWith('Other workers'));
    await waitFor(() => up().length === 2 && standing().length === 3);
    expect(slots.held.size).toBe(2);
    expect(standing()[0]!.gateway.state()).toMatchObject({
      status: 'down',
      reason: 'Other workers hold the 2 binds of this gateway; this worker stands by.',
      detail: { held: 0 },
    });

    await up()[0]!.gateway.close();
    await waitFor(() => up().length === 2);
    await Promise.all(workers.map(({ gateway }) => gateway.close()));
    expect(slots.held.size).toBe(0);
  });

  test('move to a gateway that is opened again as soon as the one before has ended', async () => {
    await using smsc = await startSmsc();
    const clock = new ManualClock();
    const options = { port: smsc.port, host: memoryHost(), clock };
    await using before = await openBound(options);
    await using after = openSmpp(options);
    await before.gateway.close();
    clock.advance(150);
    await waitFor(() => after.gateway.state().status === 'up');
    expect(smsc.connections).toHaveLength(2);
  });

  test('of one worker are all its own, and it gives some back to a second one', async () => {
    await using smsc = await startSmsc();
    const slots = new MemorySlots();
    let workers = 1;
    const options = { port: smsc.port, settings: { binds: 2 }, clock: hurriedClock(20) };
    const share = () => 1 / workers;
    await using first = await openBound({ ...options, host: memoryHost(slots, [], share) });
    workers = 2;
    await using second = openSmpp({ ...options, host: memoryHost(slots, [], share) });
    await waitFor(() => second.gateway.state().status === 'up');
    expect(first.gateway.state().detail['held']).toBe(1);
  });
});

describe('a change of the row', () => {
  test('of the pace releases a segment that the former pace delays, on the same bind', async () => {
    await using smsc = await startSmsc();
    const clock = new ManualClock();
    await using t = await openBound({ port: smsc.port, clock, ratePerSecond: 1 });
    const submit = (n: number) => t.gateway.submit([smsOf({ messageId: `id:${n}` })], WAIT);
    await submit(1);
    const waiting = submit(2);

    expect(t.gateway.adopt(smppRow({ port: smsc.port, ratePerSecond: 1_000 }))).toBe(true);
    clock.advance(1);

    expect(await waiting).toMatchObject([{ result: 'accepted' }]);
    expect(smsc.connections).toHaveLength(1);
    expect(t.gateway.state().detail['ratePerSecond']).toBe(1_000);
  });

  test('of the window lets more segments wait for an answer, on the same bind', async () => {
    await using smsc = await startSmsc({
      script: (pdu, peer) => (pdu.command === 'submit_sm' ? undefined : peer.answer(pdu)),
    });
    await using t = await openBound({ port: smsc.port, settings: { window: 1 } });
    const messages = ['id:1', 'id:2', 'id:3'].map((messageId) => smsOf({ messageId }));
    const ended = new AbortController();
    const outcomes = t.gateway.submit(messages, { ...WAIT, signal: ended.signal });
    await waitFor(() => smsc.taken().length === 1);

    expect(t.gateway.adopt(smppRow({ port: smsc.port, settings: { window: 2 } }))).toBe(true);

    await waitFor(() => smsc.taken().length === 2);
    expect(t.gateway.state().detail).toMatchObject({ window: 2, inFlight: 2 });
    smsc.cut();
    ended.abort();
    expect((await outcomes).map(({ result }) => result)).toEqual(['unconfirmed', 'unconfirmed', 'throttled']);
  });

  test.each<[string, Parameters<typeof smppRow>[0]]>([
    ['address', { port: 1 }],
    ['password', { port: 2775, password: 'other' }],
    ['number of binds', { port: 2775, settings: { binds: 2 } }],
  ])('of the %s needs other binds', async (_, changed) => {
    const row = smppRow({ port: 2775 });
    const gateway = SMPP_KIND.open(row, memoryHost());
    expect([gateway.adopt(row), gateway.adopt(smppRow(changed))]).toEqual([true, false]);
    await gateway.close();
  });
});

test('a change of the trace logs each PDU without its text, on the same bind', async () => {
  await using smsc = await startSmsc();
  await using t = await openBound({ port: smsc.port });
  const { port } = smsc;
  const recipient = '919800000001';

  expect(t.gateway.adopt(smppRow({ port, settings: { trace: true } }))).toBe(true);
  await t.gateway.submit([smsOf({ messageId: 'id:1', recipient, text: 'Seen by nobody' })], WAIT);
  expect(t.gateway.adopt(smppRow({ port, settings: { trace: false } }))).toBe(true);
  await t.gateway.submit([smsOf({ messageId: 'id:2', recipient })], WAIT);

  const traced = t.host.logs.filter(({ event }) => event === 'smpp.pdu').map(({ fields }) => fields);
  expect(traced).toMatchObject([
    {
      gateway: 'smsc',
      direction: 'sent',
      command: 'submit_sm',
      destination: '********0001',
      textBytes: 14,
    },
    { gateway: 'smsc', direction: 'received', command: 'submit_sm_resp', status: '0x00000000' },
  ]);
  expect(JSON.stringify(traced)).not.toMatch(/Seen|919800000001/);
  expect(smsc.connections).toHaveLength(1);
});

describe('the binds of one worker', () => {
  test('end when their slots are lost', async () => {
    await using smsc = await startSmsc();
    const slots = new MemorySlots();
    await using t = await openBound({ port: smsc.port, host: memoryHost(slots) });
    slots.loseAll();
    await waitFor(() => smsc.received().some(({ command }) => command === 'unbind'));
    await waitFor(() => t.gateway.state().status !== 'up');
    expect(smsc.received().map(({ command }) => command)).toContain('unbind');
  });

  test('share the rate of the gateway', async () => {
    await using smsc = await startSmsc();
    const slots = new MemorySlots();
    const options = { port: smsc.port, settings: { binds: 2 }, ratePerSecond: 100 };
    const host = () => memoryHost(slots, [], () => 0.5);
    await using first = openSmpp({ ...options, host: host() });
    await using second = openSmpp({ ...options, host: host() });
    await waitFor(() => [first, second].every(({ gateway }) => gateway.state().status === 'up'));
    expect([first, second].map(({ gateway }) => gateway.state().detail['ratePerSecond'])).toEqual([50, 50]);
  });

  test('are made again with a growing delay', async () => {
    await using smsc = await startSmsc({
      script: (pdu, peer) => (pdu.command === 'bind_transceiver' ? peer.socket.destroy() : peer.answer(pdu)),
    });
    const delays: number[] = [];
    await using t = openSmpp({ port: smsc.port, clock: hurriedClock(100) });
    for (let last = ''; delays.length < 4; last = t.gateway.state().reason) {
      // an attempt takes a millisecond, so a look rarely finds it: each names another time
      await waitFor(
        () => /next attempt at/.test(t.gateway.state().reason) && t.gateway.state().reason !== last,
      );
      delays.push(delayOf(t.gateway.state()));
    }
    expect(delays[0]).toBeLessThanOrEqual(3);
    expect(delays[3]).toBeGreaterThanOrEqual(7);
  });

  test('are down since the start of an outage, not since the last attempt', async () => {
    const server = await listen(net.createServer());
    await server[Symbol.asyncDispose]();
    await using t = openSmpp({ port: server.port, clock: hurriedClock(100) });
    const downs = new Map<string, number>();
    await waitFor(() => {
      const { status, reason, since } = t.gateway.state();
      if (status === 'down') downs.set(reason, since.getTime());
      return downs.size === 3;
    });

    expect(new Set(downs.values()).size).toBe(1);
  });
});
