import http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import type { CallbackFormat, GatewayInbound } from '@signalbox/gateways/callback-format';
import type { Gateway } from '@signalbox/gateways/gateway';
import type { GatewayHost } from '@signalbox/gateways/gateway-host';
import { HTTP_KIND } from '@signalbox/gateways/http/kind';
import { readSettings } from '@signalbox/gateways/read-settings';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { SUBMISSION, sms } from '../../libs/gateways/test/sms.ts';
import { findKannel, startKannel } from './kannel.ts';

/** Skips the tests of a machine without Debian's packages kannel and libnet-smpp-perl. */
const withKannel = findKannel() ? describe : describe.skip;
const SECRETS = { token: 'foobar', callbackSecret: 'a secret & some more' };
const INBOUND = `key=${encodeURIComponent(SECRETS.callbackSecret)}&id=%I&from=%p&to=%P&text=%b&at=%T`;

withKannel('with Kannel of Debian', () => {
  test('Kannel takes messages, reports on each under our id, and passes on what recipients write', async () => {
    await using callbacks = await startCallbacks();
    await using kannel = await startKannel(`${callbacks.url}?${INBOUND}`);
    const row = rowOf(kannel.url, callbacks.url);
    callbacks.format = HTTP_KIND.callbacks!(row)!;
    const gateway = open(row);

    const outcomes = await gateway.submit(BATCH, WAIT);

    expect(outcomes.map(({ result }) => result)).toEqual(['accepted', 'accepted', 'accepted']);
    const statusesOf = (n: number) =>
      callbacks.reports
        .filter(({ messageId }) => messageId === `${SUBMISSION}:${n}`)
        .map(({ status }) => status);
    await waitFor(
      () =>
        statusesOf(1).includes('FAILED') &&
        statusesOf(2).includes('DELIVERED') &&
        statusesOf(3).includes('DELIVERED') &&
        callbacks.inbound.length > 0,
      { timeoutMs: 60_000, otherwise: 'Kannel did not report' },
    );
    expect(callbacks.reports.find(({ status }) => status === 'FAILED')).toMatchObject({ gatewayCode: '001' });
    expect(callbacks.inbound).toMatchObject([
      { from: '919812345678', to: 'ACME', content: { text: { body: 'STOP & go' } } },
    ]);
    expect(callbacks.refused).toBe(0);
    expect(kannel.submitted).toHaveLength(3);
    await gateway.close();
  });

  test('wrong credentials at Kannel take the gateway down', async () => {
    await using kannel = await startKannel('http://127.0.0.1:9/');
    const gateway = open({
      ...rowOf(kannel.url, 'http://127.0.0.1:9/'),
      secrets: { ...SECRETS, token: 'x' },
    });

    const outcomes = await gateway.submit([nth(1)], WAIT);

    expect(outcomes).toMatchObject([{ result: 'throttled', scope: 'gateway' }]);
    expect(gateway.state()).toMatchObject({
      status: 'down',
      reason: expect.stringContaining('correct the secrets'),
    });
    expect(kannel.submitted).toEqual([]);
    await gateway.close();
  });
});

withKannel('with texts that Kannel splits or recodes', () => {
  test('a text of two segments reaches the SMSC whole', async () => {
    await using callbacks = await startCallbacks();
    await using kannel = await startKannel(callbacks.url);
    const gateway = open(rowOf(kannel.url, callbacks.url));
    const text = `${'Kannel splits a long text. '.repeat(7)}The end.`;

    await gateway.submit([nth(1, { text, segments: 2 })], WAIT);

    await waitFor(() => kannel.submitted.some((line) => line.endsWith('The end.')), {
      timeoutMs: 60_000,
      otherwise: 'the end of the text did not reach the SMSC',
    });
    const segments = kannel.submitted.map((line) => line.slice(line.indexOf(' ') + 1));
    expect(segments).toHaveLength(2);
    expect(segments.join('')).toBe(text);
    await gateway.close();
  });

  test('a reply in UCS-2 arrives as its text', async () => {
    await using callbacks = await startCallbacks();
    await using kannel = await startKannel(`${callbacks.url}?${INBOUND}`);
    const row = rowOf(kannel.url, callbacks.url);
    callbacks.format = HTTP_KIND.callbacks!(row)!;
    const gateway = open(row);

    await gateway.submit([nth(1, { text: 'A reply in Unicode' })], WAIT);

    await waitFor(() => callbacks.inbound.length > 0, {
      timeoutMs: 60_000,
      otherwise: 'Kannel passed nothing on',
    });
    expect(callbacks.inbound).toMatchObject([{ content: { text: { body: 'café नम 😀' } } }]);
    await gateway.close();
  });
});

type Submit = (
  messages: OutgoingSms[],
  options: { deadlineMs: number; signal: AbortSignal },
) => Promise<{ result: string }[]>;

function open(row: ReturnType<typeof rowOf>) {
  return HTTP_KIND.open(row, HOST) as unknown as Pick<Gateway, 'state' | 'close'> & { submit: Submit };
}

const ignore = () => undefined;
const HOST = { logger: { info: ignore, warn: ignore, error: ignore } } as unknown as GatewayHost;

/** Limits of a submit. */
const WAIT = { deadlineMs: 30_000, signal: new AbortController().signal };
const BATCH = [
  nth(1, { recipient: '919800000001' }),
  nth(2, { text: 'é 100 % & {reply please}' }),
  nth(3, { text: 'नमस्ते', encoding: 'UCS-2' }),
];

function rowOf(baseUrl: string, callbackUrl: string) {
  const read = readSettings(
    HTTP_KIND,
    { preset: 'kannel', baseUrl, username: 'tester', allowPrivateNetwork: true },
    SECRETS,
  );
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return {
    name: 'kannel',
    channel: 'sms' as const,
    settings: read.settings,
    secrets: SECRETS,
    ratePerSecond: null,
    callbackUrl,
  };
}

function nth(n: number, fields: Partial<OutgoingSms> = {}): OutgoingSms {
  return sms({ messageId: `${SUBMISSION}:${n}`, accountId: SUBMISSION, ...fields });
}

/** Starts a server that takes callbacks as the API does. */
async function startCallbacks() {
  const taken = {
    format: undefined as CallbackFormat | undefined,
    reports: [] as GatewayReport[],
    inbound: [] as GatewayInbound[],
    refused: 0,
  };
  const server = http.createServer((request, response) => {
    const url = `http://127.0.0.1:${port}${request.url}`;
    const callback = {
      method: 'GET' as const,
      url,
      query: new URL(url).searchParams,
      headers: request.headers,
      body: Buffer.alloc(0),
    };
    if (taken.format?.verify(callback) !== true) {
      taken.refused += 1;
      response.writeHead(403).end();
      return;
    }
    const { reports, inbound } = taken.format.read(taken.format.keep!(callback));
    taken.reports.push(...reports);
    taken.inbound.push(...inbound);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(taken, {
    url: `http://127.0.0.1:${port}/v1/callbacks/kannel`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
