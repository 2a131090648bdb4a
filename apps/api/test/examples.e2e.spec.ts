import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type ApiUnderTest, startApi } from './api-under-test.ts';
import { ScriptedGateway } from './scripted-gateway.ts';

const EXAMPLES = new URL('../../../examples/', import.meta.url).pathname;

/** A running example, and its output so far. */
interface Running extends AsyncDisposable {
  child: ChildProcess;
  output: () => string;
}

const started = new AsyncDisposableStack();
let t: ApiUnderTest;

beforeAll(async () => {
  t = started.use(await startApi({ workers: ['sms', 'dlr'], gateway: new ScriptedGateway() }));
});
afterAll(() => started.disposeAsync());

function run(file: string, args: string[], env: Record<string, string>): Running {
  const child = spawn(process.execPath, [EXAMPLES + file, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const dispose = async (): Promise<void> => {
    child.kill();
    await closed;
  };
  return { child, output: () => output, [Symbol.asyncDispose]: dispose };
}

/** Runs send-sms.mjs until it exits. */
async function sendSms(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ exitCode: number | null; output: string }> {
  await using sender = run('send-sms.mjs', args, {
    SIGNALBOX_URL: t.p.apiUrl,
    SIGNALBOX_API_KEY: t.p.apiKey,
    ...env,
  });
  const [exitCode] = (await once(sender.child, 'close')) as [number | null];
  return { exitCode, output: sender.output() };
}

const expectSaid = (receiver: Running, pattern: RegExp): Promise<void> =>
  waitFor(() => pattern.test(receiver.output()), {
    otherwise: `${String(pattern)} was not written`,
  });

async function startReceiver(method: string): Promise<Running & { url: string; secret: string }> {
  const port = String(20_000 + Math.floor(Math.random() * 10_000));
  const url = `http://127.0.0.1:${port}/reports?tenant=7`;
  const created = await t.call<{ secret: string }>({
    path: '/v1/webhooks',
    body: { name: `${method} ${port}`, method, endPoint: url },
  });
  const { secret } = created.body.data;
  const receiver = run('receive-reports.mjs', [port], { WEBHOOK_SECRET: secret });
  await expectSaid(receiver, /Listening/);
  return { ...receiver, url, secret };
}

test.each(['POST', 'GET'])(
  'the receiving example verifies the reports of the sending example by %s',
  async (method) => {
    await using receiver = await startReceiver(method);

    const { exitCode, output } = await sendSms(['919800000100,919800000101', "It's here: 100 % नमस्ते"]);

    expect(exitCode).toBe(0);
    const ids = Array.from(output.matchAll(/^9198000001\d\d (\S+:[12])$/gm), ([, id]) => id);
    expect(ids).toHaveLength(2);
    for (const id of ids)
      await expectSaid(receiver, new RegExp(`^${id} 9198000001\\d\\d Delivered 000 Message delivered$`, 'm'));
  },
);

test('an unsigned, changed or old call is refused', async () => {
  await using receiver = await startReceiver('POST');
  const headers = {
    'webhook-id': 'x',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': 'v1,AAAA',
  };
  const call = async (init: RequestInit): Promise<number> =>
    (await fetch(receiver.url, { method: 'POST', body: '{"messageId":"forged"}', ...init })).status;

  expect([
    await call({}),
    await call({ headers }),
    await call({ headers: { ...headers, 'webhook-timestamp': 'x' } }),
  ]).toEqual([401, 401, 401]);
  expect(receiver.output()).not.toContain('forged');
});

test('a send that can never succeed exits immediately with its reason', async () => {
  const bad = await sendSms(['12345', 'Hello']);
  const stranger = await sendSms(['919800000100', 'Hello'], { SIGNALBOX_API_KEY: 'x' });

  expect([bad.exitCode, stranger.exitCode]).toEqual([1, 1]);
  expect(bad.output).toMatch(/^400 invalid_request: to must be a phone number .* \(request [\da-f-]{36}\)/);
  expect(stranger.output).toMatch(/^401 api_key_invalid/);
});

test('a send without a server is retried', async () => {
  await using sender = run('send-sms.mjs', ['919800000100', 'Hello'], {
    SIGNALBOX_URL: 'http://127.0.0.1:59999',
    SIGNALBOX_API_KEY: 'x',
  });

  await expectSaid(sender, /No answer: .*trying again in 1 s/);
});
