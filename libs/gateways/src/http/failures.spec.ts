import https from 'node:https';
import net from 'node:net';
import { expect, test } from '@jest/globals';
import { readCredentials } from '@signalbox/test/certificates';
import { freePort } from '@signalbox/tools/servers/ports';
import { WAIT } from '../../test/gateway.conformance.ts';
import { openGateway } from '../../test/http-vendor.ts';
import { type Listener, listen } from '../../test/listen.ts';
import { sms } from '../../test/sms.ts';

const SETTINGS = {
  request: {
    method: 'POST',
    url: '{baseUrl}/send',
    auth: [{ type: 'header', name: 'x-key', value: '{token}' }],
    body: { type: 'json', fields: { to: '{recipient}' } },
  },
  answer: { id: 'id' },
};
/** Submits the first message of a gateway, and returns its outcome and the reason of the state. */
async function submitTo(baseUrl: string): Promise<{ result: string | undefined; reason: string }> {
  const { gateway } = openGateway({ ...SETTINGS, baseUrl });
  const [outcome] = await gateway.submit([sms()], WAIT);
  const { reason } = gateway.state();
  await gateway.close();
  return { result: outcome?.result, reason };
}

/** Starts a server that speaks another protocol. */
const startOther = (speak: (socket: net.Socket) => void): Promise<Listener> =>
  listen(net.createServer((socket) => socket.on('error', () => undefined).on('data', () => speak(socket))));

test('a certificate that is not trusted is named, and nothing is written', async () => {
  await using server = await listen(https.createServer(readCredentials('untrusted')));
  expect(await submitTo(`https://127.0.0.1:${server.port}`)).toEqual({
    result: 'throttled',
    reason: expect.stringMatching(/^The TLS handshake with .* fails: its certificate is not trusted/),
  });
});

test('TLS towards a server without it is named', async () => {
  await using server = await startOther((socket) => socket.end('no TLS\r\n'));
  const { reason } = await submitTo(`https://127.0.0.1:${server.port}`);
  expect(reason).toMatch(/the port speaks no TLS\. Check baseUrl: https or http/);
});

test.each([
  ['a port where nothing listens', async () => `http://127.0.0.1:${await freePort()}`],
  ['a name that does not exist', async () => 'http://vendor.invalid'],
])('%s is named', async (_, address) => {
  const { result, reason } = await submitTo(await address());
  expect([result, reason]).toEqual([
    'throttled',
    expect.stringMatching(/nothing listens there\. Check host and port/),
  ]);
});

test('a server that does not speak HTTP is named', async () => {
  await using server = await startOther((socket) => socket.write(Buffer.of(0, 0, 0, 16, 0x80, 0, 0, 0)));
  expect(await submitTo(`http://127.0.0.1:${server.port}`)).toEqual({
    result: 'unconfirmed',
    reason: expect.stringMatching(/answers something that is not HTTP\. Check the port/),
  });
});

test.each([
  [15_000, 'Ask the vendor, or raise timeoutMs.'],
  [29_000, 'Ask the vendor.'],
])('a vendor that is silent for %i ms is named, with what helps', async (timeoutMs, advice) => {
  await using server = await startOther(() => undefined);
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const { gateway } = openGateway({ ...SETTINGS, baseUrl, timeoutMs });

  await gateway.submit([sms()], { ...WAIT, deadlineMs: 500 });

  expect(gateway.state().reason).toMatch(/does not answer \(timeout\)/);
  expect(gateway.state().reason.endsWith(advice)).toBe(true);
  await gateway.close();
});

test('a server that closes without an answer is named', async () => {
  await using server = await startOther((socket) => socket.end());
  const { reason } = await submitTo(`http://127.0.0.1:${server.port}`);
  expect(reason).toMatch(/closes the connection without an answer/);
});
