import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { ScriptedGateway, delivered } from '../../apps/api/test/scripted-gateway.ts';
import { freePort } from '../../tools/servers/ports.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { callApi } from '../support/call-api.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { A_QUEUE } from '../support/queue.ts';

const TOOL = join(import.meta.dirname, '../../tools/cli/main.ts');
const SMS = { sender: 'SIGNALBX', to: '919812345678', text: 'Hello', type: 'TRANS' };

/** A rotation beyond these ends the oldest secret. */
const OLD_SECRETS = 4;

interface Listed {
  id: string;
  name: string;
  pulled: boolean;
}

let p: Pipeline;
beforeAll(async () => {
  const gateway = new ScriptedGateway(() => [[delivered({ status: 'SENT' })], [delivered()]]);
  p = await startPipeline({ queue: A_QUEUE, gateway });
});
afterAll(async () => p[Symbol.asyncDispose]());

test('events wait for a program, and are forwarded signed, in order, and again after a failure', async () => {
  await using t = await setup();
  const run = t.listen();
  await run.untilPrinted('Nothing listens');
  await p.post('/v1/sms', SMS);
  await t.untilWaiting(2);

  await t.serve((count) => (count === 1 ? 500 : 204));
  await waitFor(() => t.received.length === 3, { otherwise: 'not every event was forwarded' });
  await t.untilWaiting(0);

  const secret = /^sms +secret (\S+)$/m.exec(run.output())?.[1] ?? '';
  const reports = t.received.map(({ headers, body }) => new Webhook(secret).verify(body, readable(headers)));
  expect(reports).toMatchObject([{ status: 'Sent' }, { status: 'Sent' }, { status: 'Delivered' }]);
  const ids = t.received.map(({ headers }) => headers['webhook-id']);
  expect([ids[0] === ids[1], new Set(ids).size]).toEqual([true, 2]);
  expect(run.output().match(/Nothing listens/g)).toHaveLength(1);
  expect(run.output()).toMatch(/500 .* attempt 1 {2}signature ok {2}Sent .*\n.*204 .* attempt 2 /);
});

test('a run after a killed one gets what arrived between them, under the same secret', async () => {
  await using t = await setup();
  await t.serve(() => 200);
  const killed = t.listen();
  await killed.untilPrinted('Forwarding');
  await killed.end('SIGKILL');
  await p.post('/v1/sms', SMS);
  await t.untilWaiting(2);

  const next = t.listen();
  await waitFor(() => t.received.length === 2, { otherwise: 'the events were not forwarded' });
  await t.untilWaiting(0);

  expect(next.output().split('\n')[0]).toBe(killed.output().split('\n')[0]);
  const { data: kept } = (await p.get('/v1/webhooks?limit=200')).body as { data: Listed[] };
  expect(kept.find(({ name }) => name.startsWith(t.name))).toMatchObject({ pulled: true });
  await next.end('SIGINT');
  expect(next.output()).toMatch(/Forwarded 2 events\.\n$/);
  const removal = t.run('http://127.0.0.1:8080/reports', '--remove', '--name', t.name);
  await removal.untilPrinted('Removed');
  const { data } = (await p.get('/v1/webhooks?limit=200')).body as { data: Listed[] };
  expect(data.filter(({ name }) => name.startsWith(t.name))).toEqual([]);
});

test('a run whose secret was replaced says so once, and the next run gets one that signs', async () => {
  await using t = await setup();
  await t.serve(() => 200);
  const old = t.listen();
  await old.untilPrinted('Forwarding');
  const { id } = await t.listener();
  for (let i = 0; i <= OLD_SECRETS; i += 1) await p.post(`/v1/webhooks/${id}/rotate-secret`, {});

  await p.post('/v1/sms', SMS);
  await waitFor(() => t.received.length === 2, { otherwise: 'the events were not forwarded' });
  await t.untilWaiting(0);
  await old.end('SIGINT');

  expect(old.output().match(/The secret of the sms listener was replaced/g)).toHaveLength(1);
  const next = t.listen();
  await next.untilPrinted('Forwarding');
  await p.post('/v1/sms', SMS);
  await t.untilWaiting(0);
  await next.untilPrinted('signature ok  Delivered');
  expect(next.output()).not.toContain('signature wrong');
});

test('a run ends when one of its listeners was deleted', async () => {
  await using t = await setup();
  await t.serve(() => 200);
  const run = t.listen();
  await run.untilPrinted('Forwarding');

  await callApi(p, 'DELETE', `/v1/webhooks/${(await t.listener()).id}`);

  expect(await run.exitCode).toBe(1);
});

test('a second Ctrl-C ends a run that waits for the program', async () => {
  await using t = await setup();
  await t.serve(() => undefined);
  const run = t.listen();
  await run.untilPrinted('Forwarding');
  await p.post('/v1/sms', SMS);
  await waitFor(() => t.received.length > 0, { otherwise: 'the event was not forwarded' });

  // the program has 15 s
  await waitFor(() => !run.interrupt(), { otherwise: 'it did not end', timeoutMs: 10_000 });

  expect(await run.exitCode).toBe(1);
});

async function setup() {
  await using started = new AsyncDisposableStack();
  const home = await mkdtemp(join(tmpdir(), 'signalbox-listen-'));
  started.defer(() => rm(home, { recursive: true, force: true }));
  const port = await freePort();
  const name = `port ${port}`;
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const all = started.move();
  const run = (...args: string[]) => all.use(runListen(args, home));
  return {
    name,
    received,
    run,
    listen: () => run(`http://127.0.0.1:${port}/reports`, '--name', name),
    /** The listener of SMS. */
    listener: async () => {
      const webhooks = await callApi<Listed[]>(p, 'GET', '/v1/webhooks?limit=200');
      return webhooks.find((webhook) => webhook.name === `${name} (sms)`)!;
    },
    /** Starts the program. `statusOf` gets the number of its calls so far; without a status it does not answer. */
    serve: async (statusOf: (count: number) => number | undefined) => {
      const server = createServer((request, response) => {
        void text(request).then((body) => {
          received.push({ headers: request.headers, body });
          const status = statusOf(received.length);
          if (status !== undefined) response.writeHead(status).end();
        });
      });
      all.defer(() => {
        server.close();
        server.closeAllConnections();
      });
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    untilWaiting: (count: number) =>
      waitFor(
        async () => {
          const [row]: { count: number }[] = await p.db.query(
            `SELECT count(*)::integer FROM push p JOIN webhook w ON w.id = p.webhook_id
              WHERE w.name LIKE $1 || ' (%' AND p.status = 'WAITING'`,
            [name],
          );
          return row?.count === count;
        },
        { otherwise: `${count} events did not wait` },
      ),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Runs the command in its own process, with its files under `home`. */
function runListen(args: string[], home: string) {
  const child = spawn(process.execPath, [TOOL, 'listen', ...args], {
    env: {
      ...process.env,
      SIGNALBOX_URL: p.apiUrl,
      SIGNALBOX_API_KEY: p.apiKey,
      XDG_CONFIG_HOME: home,
      NODE_OPTIONS: '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const closed = once(child, 'close');
  return {
    output: () => output,
    exitCode: closed.then(([code]) => code as number | null),
    /** Sends Ctrl-C. @returns whether the command still runs */
    interrupt: () => child.kill('SIGINT') && child.exitCode === null,
    untilPrinted: (words: string) =>
      waitFor(() => output.includes(words), { otherwise: `"${words}" was not printed` }),
    end: (signal: NodeJS.Signals) => end(child, signal, closed),
    [Symbol.asyncDispose]: () => end(child, 'SIGKILL', closed),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals, closed: Promise<unknown>): Promise<void> {
  child.kill(signal);
  // Ctrl-C reaches a command that npm runs twice: from the terminal, and from npm.
  await setImmediate();
  child.kill(signal);
  await closed;
}

function readable(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
