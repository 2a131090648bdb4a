import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { WAIT } from '../../libs/gateways/test/gateway.conformance.ts';
import { hurriedClock } from '../../libs/gateways/test/hurried-clock.ts';
import { openBound, openSmpp, smsOf } from '../../libs/gateways/test/smpp-gateway.ts';
import { freePort } from '../../tools/servers/ports.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';

/** The driver of Debian's package kannel-extras, an SMSC without transceivers that gives no ids. */
const DRIVER = '/usr/lib/kannel/test/drive_smpp';
/** The port of a bearerbox, to which the driver connects. */
const BEARERBOX_PORT = 13_001;
const MESSAGES = 5;

const bearerbox = await listenAsBearerbox();
const withDriver = existsSync(DRIVER) && bearerbox !== undefined ? describe : describe.skip;

withDriver("with Kannel's drive_smpp", () => {
  let driver: ChildProcess;
  let port: number;

  beforeEach(async () => {
    port = await freePort();
    driver = spawn(DRIVER, ['-v', '4', '-p', String(port), '-m', String(MESSAGES)], { stdio: 'ignore' });
  });
  afterEach(async () => {
    if (driver.exitCode === null && driver.signalCode === null) {
      driver.kill('SIGKILL');
      await once(driver, 'exit');
    }
  });

  test('a pair sends messages that get no ids, and receives what subscribers write', async () => {
    await using t = await openBound({ port, settings: { bindMode: 'pair' } });

    const batch = Array.from({ length: MESSAGES }, (_, i) => smsOf({ messageId: `id:${i + 1}` }));
    const outcomes = await t.gateway.submit(batch, WAIT);

    expect(outcomes).toEqual(
      batch.map(({ messageId }) => ({ messageId, result: 'accepted', gatewayMessageIds: [] })),
    );
    expect(t.host.rows.map(({ gatewayMessageId }) => gatewayMessageId)).toEqual(batch.map(() => ''));
    await waitFor(() => t.inbound.length >= MESSAGES, { otherwise: 'no message of a subscriber came' });
    expect(t.reports).toEqual([]);
  });

  test('a transceiver waits for an answer in vain, and says so', async () => {
    await using t = openSmpp({ port, clock: hurriedClock(20) });
    await waitFor(() => t.gateway.state().reason.includes('does not answer the bind'));
    expect(t.gateway.state().reason).toContain('set "bindMode" to "pair"');
  });
});

/** Listens where the driver expects a bearerbox; undefined while another program does. */
async function listenAsBearerbox(): Promise<net.Server | undefined> {
  const server = net.createServer((socket) => socket.on('error', () => undefined).resume());
  server.unref();
  server.listen(BEARERBOX_PORT, '127.0.0.1');
  return await once(server, 'listening').then(
    () => server,
    () => undefined,
  );
}
