import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { newWebhookSecret } from '@signalbox/domain/webhooks/push-signature';
import { Webhook } from 'standardwebhooks';
import { startPipeline } from '../support/pipeline.ts';
import { A_QUEUE } from '../support/queue.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLIENT = join(ROOT, 'libs/client');

const PROGRAM = `
import { SignalboxError, createSignalbox, getMessage, sendSms, type SendSmsResponse } from '@signalbox/client';
import { verifyWebhook } from '@signalbox/client/webhooks';
declare const process: { env: Record<string, string | undefined> };
const client = createSignalbox({ url: process.env['URL'] + '/', apiKey: process.env['KEY'] ?? '' });
const body = { sender: 'SIGNALBX', to: '919800000100', text: 'Hello', type: 'TRANS' as const };
const { data: sent } = await sendSms({ client, body, throwOnError: true });
const id: string = (sent as SendSmsResponse & { id: string }).id;
const { data: message } = await getMessage({ client, path: { messageId: id + ':1' }, throwOnError: true });
const { error, response } = await getMessage({ client, path: { messageId: 'nothing' } });
if (error?.error.code === 'no_answer') throw error;
const status: number | undefined = error instanceof SignalboxError ? error.status : 0;
console.log(JSON.stringify([message.data.status, response?.status, status, error?.error.code, typeof verifyWebhook]));
`;

/** Declares the names that the blocks of the README leave to their reader. */
const README_CALLER = `
const { headers: pushed, body: rawBody } = JSON.parse(process.env.PUSH);
const request = { headers: pushed };
const handle = async (id, { status }) => console.log(id, status);
`;

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'signalbox-client-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the client is generated from the OpenAPI document of the api', async () => {
  const fresh = join(folder, 'generated');
  await run(process.execPath, ['tools/client/main.ts', fresh], { cwd: ROOT });

  const stale = Object.entries(filesOf(fresh)).filter(
    ([name, text]) => filesOf(join(CLIENT, 'src/generated'))[name] !== text,
  );

  // `npm run client` generates it again.
  expect(stale.map(([name]) => name)).toEqual([]);
  expect(Object.keys(filesOf(join(CLIENT, 'src/generated')))).toEqual(Object.keys(filesOf(fresh)));
});

test('the packed client is installed elsewhere, has types, and calls the api', async () => {
  await using p = await startPipeline({ queue: A_QUEUE, workers: [] });
  const app = await installClient('app');
  writeFileSync(join(app, 'app.ts'), PROGRAM);

  await run(
    join(ROOT, 'node_modules/.bin/tsc'),
    ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom', 'app.ts'],
    {
      cwd: app,
    },
  );
  const { stdout } = await run(process.execPath, ['app.ts'], {
    cwd: app,
    env: { ...process.env, URL: p.apiUrl, KEY: p.apiKey },
  });

  expect(JSON.parse(stdout)).toEqual(['Pending', 404, 404, 'message_not_found', 'function']);
});

test('the blocks of the README run in order as one program', async () => {
  await using p = await startPipeline({ queue: A_QUEUE, workers: [] });
  const app = await installClient('readme');
  const readme = readFileSync(join(CLIENT, 'README.md'), 'utf8');
  const blocks = Array.from(readme.matchAll(/^```js\n(.*?)^```/gms), ([, code]) => code);
  const code = blocks
    .join('\n')
    .replace('https://sms.example.com', p.apiUrl)
    .replace('limit: 100', 'limit: 1');
  writeFileSync(join(app, 'app.mjs'), `${README_CALLER}\n${code}`);

  const { stdout } = await run(process.execPath, ['app.mjs'], {
    cwd: app,
    env: { ...process.env, SIGNALBOX_API_KEY: p.apiKey, ...signedPush('push_1', '{"status":"Delivered"}') },
  });

  expect(blocks).toHaveLength(4);
  expect(stdout.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '<id>')).toBe(
    '<id>:1 Pending\n<id>:1 Pending\npush_1 Delivered\n',
  );
});

/** Installs the packed client in a new program. @returns the folder of the program */
async function installClient(name: string): Promise<string> {
  const app = join(folder, name);
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }');
  const { stdout: packed } = await run('npm', ['pack', '--json', '--pack-destination', app], { cwd: CLIENT });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`], { cwd: app });
  return app;
}

/** The variables of a program that gets a push. */
function signedPush(id: string, body: string): Record<string, string> {
  const secret = newWebhookSecret();
  const at = new Date();
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
  return { WEBHOOK_SECRET: secret, PUSH: JSON.stringify({ headers, body }) };
}

function filesOf(path: string): Record<string, string> {
  const names = globSync('**/*.ts', { cwd: path }).toSorted();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(path, name), 'utf8')]));
}
