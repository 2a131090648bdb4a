import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { freePort } from '../../tools/servers/ports.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { readDemoAccess } from '../../tools/stack.ts';
import {
  type ExampleLanguage,
  type ExampleName,
  isInstalled,
  listExampleLanguages,
} from '../support/example-language.ts';
import { type Service, startService } from '../support/service.ts';
import { findSyntaxErrors } from '../support/syntax.ts';

const ROOT = join(import.meta.dirname, '../..');
const MAX_LINES = 60;
const LANGUAGES = listExampleLanguages();
const INSTALLED = new Map(Object.entries(LANGUAGES).filter(([, language]) => isInstalled(language)));
/** Languages whose receivers open their port themselves and say what is wrong with it. */
const OWN_SERVERS = ['Node', 'TypeScript', 'Python'].filter((name) => INSTALLED.has(name));

/** A running example, and its output so far. */
interface Running extends AsyncDisposable {
  child: ChildProcess;
  output: () => string;
  /** Resolves when the output matches. */
  until: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Resolves with the exit code when the example has ended. */
  exitCode: () => Promise<number | null>;
}

/** A running receiver, its address and the secret of its webhook. */
interface Receiving extends Running {
  url: string;
  secret: string;
}

const started = new AsyncDisposableStack();
const folder = mkdtempSync(join(tmpdir(), 'signalbox-examples-'));
let service: Service;
let access: { apiUrl: string; apiKey: string };
beforeAll(async () => {
  service = started.use(
    await startService({
      queue: 'postgres',
      apps: ['api', 'sms-worker', 'chatapp-worker', 'otp-worker', 'dlr-worker'],
    }),
  );
  const { apiUrl = '', apiKey = '' } = readDemoAccess(service.dir);
  access = { apiUrl, apiKey };
  for (const language of INSTALLED.values()) language.prepare?.();
});
afterAll(async () => {
  for (const language of Object.values(LANGUAGES)) language[Symbol.dispose]();
  rmSync(folder, { recursive: true });
  await started.disposeAsync();
});

testLanguages('the receiver verifies the reports of the sender', async ({ name, language, number }) => {
  await using receiver = await startReceiver(name, language);
  const forged = await fetch(receiver.url, {
    method: 'POST',
    headers: { 'webhook-id': 'x', 'webhook-timestamp': now(), 'webhook-signature': 'v1,AAAA' },
    body: '{"messageId":"forged"}',
  });

  await using sender = run(language, 'send', [`${number},919800000001`, "It's here: 100 % नमस्ते"]);

  expect([forged.status, await sender.exitCode()]).toEqual([401, 0]);
  const [, id] = await sender.until(new RegExp(`^${number} (\\S+):1$`, 'm'));
  await receiver.until(new RegExp(`^${id}:1 ${number} Delivered 000 Message delivered\\r?$`, 'm'));
  await receiver.until(new RegExp(`^${id}:2 919800000001 Failed 001 Absent subscriber\\r?$`, 'm'));
  expect(receiver.output()).not.toContain('forged');
});

test.each(OWN_SERVERS)('a receiver in %s whose port is taken says so in one line', async (name) => {
  await using receiver = await startReceiver(name, LANGUAGES[name]!);
  const [program = '', ...args] = LANGUAGES[name]!.command('receive', Number(new URL(receiver.url).port));
  await using second = start(program, args, { ...process.env, WEBHOOK_SECRET: receiver.secret });

  expect([await second.exitCode(), second.output()]).toEqual([
    1,
    expect.stringMatching(/^.*address already in use.*\. Name another port\.\n$/i),
  ]);
});

test.each(OWN_SERVERS)('a receiver in %s at port 0 prints the port that it listens at', async (name) => {
  const [program = '', ...args] = LANGUAGES[name]!.command('receive', 0);
  await using receiver = start(program, args, { ...process.env, WEBHOOK_SECRET: 'whsec_AAAA' });

  const [, url = ''] = await receiver.until(/^Listening on (\S+)$/m);

  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
});

testLanguages('the receiver takes batches, and each report in them once', async ({ name, language }) => {
  await using receiver = await startReceiver(name, language);
  const long = 'a description '.repeat(700); // 100 of them fill most of a call
  const items = Array.from({ length: 100 }, (_, i) => itemOf(`item_${i}`, long));
  const push = (...batch: Item[]): Promise<number> => pushBatch(receiver, JSON.stringify(batch));

  const answers = [await push(...items), await push(items[7]!, itemOf('item_100', 'last'))];
  await receiver.until(/^item_100 /m);

  expect(answers).toEqual([204, 204]);
  const lines = receiver.output().match(/^item_\d+(?= 919800000100 Delivered 000 )/gm);
  expect(lines).toEqual([...items.map(({ id }) => id), 'item_100']);
});

testLanguages('an address with a slash at its end is taken', async ({ language, number }) => {
  await using send = run(language, 'send', [number, 'Hello'], { SIGNALBOX_URL: `${access.apiUrl}/` });

  expect([await send.exitCode(), send.output()]).toEqual([0, expect.stringContaining(number)]);
});

testLanguages('a bulk of a file without numbers fails and says why', async ({ name, language }) => {
  const file = join(folder, `${name}-empty.txt`);
  writeFileSync(file, '\n');

  await using bulk = run(language, 'bulk', [file, 'Open at nine.']);

  expect([await bulk.exitCode(), bulk.output()]).toEqual([1, `${file} has no numbers.\n`]);
});

testLanguages('a bulk is sent once for each content', async ({ name, language, number }) => {
  const file = join(folder, `${name}.txt`);
  writeFileSync(file, `${number}\n919800000001\n`);
  const send = async (): Promise<string> => {
    await using bulk = run(language, 'bulk', [file, `Open at nine, says ${name}.`]);
    expect([await bulk.exitCode(), bulk.output()]).toEqual([0, expect.stringMatching(/Delivered[: ]1\b/)]);
    return (await bulk.until(/^(\S+) 2 accepted/m))[1] ?? '';
  };

  expect(await send()).toBe(await send());
});

testLanguages('a code is sent, and what is typed is checked', async ({ language, number }) => {
  await using verify = run(language, 'verify', [number]);
  await verify.until(/Type it:/);
  const code = await readCode(number);

  verify.child.stdin?.write(`${code === '000000' ? '111111' : '000000'}\n`);
  await verify.until(/Wrong, 4 attempts left/);
  verify.child.stdin?.write(`${code}\n`);

  expect(await verify.exitCode()).toBe(0);
  await verify.until(/Correct\./);
});

testLanguages('a chat-app template is sent', async ({ language, number }) => {
  await using chat = run(language, 'chat-template', [number, 'Asha']);

  expect([await chat.exitCode(), chat.output()]).toEqual([
    0,
    expect.stringMatching(/example_shipped Approved[^]*:1 (Delivered|Read)\s*$/),
  ]);
});

testLanguages('a refused send fails with its reason', async ({ language }) => {
  await using refused = run(language, 'send', ['12345', 'Hello']);

  expect([await refused.exitCode(), refused.output()]).toEqual([
    1,
    expect.stringMatching(/invalid_request: to must be a phone number .* \(request [\da-f-]{36}\)/),
  ]);
});

testLanguages('a send without an answer of the API is tried again', async ({ language, number }) => {
  await using pages = await startProxy(502, 'text/html', '<html><body>Bad Gateway</body></html>');
  await using empty = await startProxy(503, 'text/plain', '');

  for (const SIGNALBOX_URL of ['http://127.0.0.1:1', pages.url, empty.url]) {
    await using lost = run(language, 'send', [number, 'Hello'], { SIGNALBOX_URL });
    await lost.until(/trying again in 1 ?s/);
  }
});

test.each([
  ['go', 'examples/go/**/*.go'],
  ['php', 'examples/php/*.php'],
  ['python', 'examples/python/*.py'],
] as const)('the examples in %s have no syntax error', async (grammar, pattern) => {
  const paths = globSync(pattern, { cwd: ROOT }).map((path) => join(ROOT, path));
  const broken = join(folder, `broken.${grammar}`);
  writeFileSync(broken, readFileSync(paths[0]!, 'utf8').replace('(', ''));

  expect(paths.length).toBeGreaterThan(5);
  expect(await findSyntaxErrors(grammar, [...paths, broken])).toEqual([broken]);
});

test('no example is longer than a page', () => {
  const sources = globSync('examples/**/*.{mjs,ts,py,go,php}', {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  });
  const lengthOf = (path: string): number =>
    readFileSync(join(ROOT, path), 'utf8').trimEnd().split('\n').length;

  expect(sources.length).toBeGreaterThan(25);
  expect(sources.filter((path) => lengthOf(path) > MAX_LINES)).toEqual([]);
});

/** A language that is installed, and a phone number for its examples alone. */
interface Installed {
  name: string;
  language: ExampleLanguage;
  number: string;
}

/** Tests each language that is installed, and shows the others as skipped. */
function testLanguages(behaviour: string, body: (installed: Installed) => Promise<void>): void {
  for (const [i, [name, language]] of Object.entries(LANGUAGES).entries()) {
    const testOrSkip = INSTALLED.has(name) ? test : test.skip;
    testOrSkip(`${name}: ${behaviour}`, () => body({ name, language, number: `91980000020${i}` }));
  }
}

function run(
  language: ExampleLanguage,
  example: ExampleName,
  args: string[],
  more: NodeJS.ProcessEnv = {},
): Running {
  const [program = '', ...before] = language.command(example);
  const { apiUrl, apiKey } = access;
  const env = { ...process.env, SIGNALBOX_URL: apiUrl, SIGNALBOX_API_KEY: apiKey, ...more };
  return start(program, [...before, ...args], env);
}

function start(program: string, args: string[], env: NodeJS.ProcessEnv): Running {
  const child = spawn(program, args, { env });
  const closed = once(child, 'close');
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    child,
    output: () => text,
    until: async (pattern) => {
      await waitFor(() => pattern.test(text), {
        otherwise: () => `${String(pattern)} was not written: ${text}`,
      });
      return pattern.exec(text)!;
    },
    exitCode: async () => {
      await waitFor(() => child.exitCode !== null, { otherwise: () => `it did not end: ${text}` });
      await closed;
      return child.exitCode;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await closed;
    },
  };
}

/** Starts the receiver of a language, with a webhook that calls it. */
async function startReceiver(name: string, language: ExampleLanguage): Promise<Receiving> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/reports`;
  const { id, secret } = await createWebhook(name, url);
  const [program = '', ...args] = language.command('receive', port);
  const memory = { TMPDIR: folder }; // where the receiver in PHP keeps the ids it has seen
  const receiver = start(program, args, { ...process.env, ...memory, WEBHOOK_SECRET: secret });
  await receiver.until(/Listening|started/);
  const dispose = async (): Promise<void> => {
    await receiver[Symbol.asyncDispose]();
    await call('DELETE', `/v1/webhooks/${id}`);
  };
  return { ...receiver, url, secret, [Symbol.asyncDispose]: dispose };
}

interface Item {
  id: string;
  sequence: number;
  body: Record<string, string>;
}

/** A report in a batch, whose message has the id of the report. */
function itemOf(id: string, statusDescription: string): Item {
  const status = { status: 'Delivered', errCode: '000', statusDescription };
  const body = { messageId: id, mobileNumber: '919800000100', ...status };
  return { id, sequence: 1, body };
}

/** Signs a body and sends it to a receiver. @returns the status of its answer */
async function pushBatch({ url, secret }: Receiving, body: string): Promise<number> {
  const at = new Date();
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'batch_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('batch_1', at, body),
  };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

/** Starts a proxy whose API is down. */
async function startProxy(status: number, type: string, body: string) {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

async function createWebhook(name: string, endPoint: string): Promise<{ id: string; secret: string }> {
  return (await call('POST', '/v1/webhooks', { name, endPoint })).data as { id: string; secret: string };
}

/** Reads the code on a simulated phone. */
async function readCode(number: string): Promise<string> {
  let code: string | undefined;
  await waitFor(
    async () => {
      const path = `/v1/simulator/phones/${number}/messages`;
      const { data } = await call('GET', path);
      code = (data as { text: string }[])
        .map(({ text }) => /^\d{6}(?= is your)/.exec(text)?.[0])
        .find(Boolean);
      return code !== undefined;
    },
    { otherwise: 'no code arrived' },
  );
  return code ?? '';
}

async function call(method: string, path: string, body?: object): Promise<{ data: unknown }> {
  const response = await fetch(access.apiUrl + path, {
    method,
    headers: { apikey: access.apiKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as { data: unknown };
}

const now = (): string => String(Math.floor(Date.now() / 1000));
