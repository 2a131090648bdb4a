import { type Socket, connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { register } from 'prom-client';
import type { EntityManager } from 'typeorm';
import { ScriptedGateway, delivered } from '../../apps/api/test/scripted-gateway.ts';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { type QueueBackend, describeOnEachQueue } from '../support/queue.ts';
import { addCodeTemplate } from '../support/code-template.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';

/** Odd codes go over the chat app first, and then always by SMS too, so that the SMS gateway sees every code. */
const CODES = 200;
/** Codes that are tried: half with the right code, half with a wrong one. */
const TRIED = 40;
const CONCURRENCY = 50;

describeOnEachQueue((queue) => {
  test('no code is ever readable in Postgres, Redis, a log line or a metric', async () => {
    await using t = await setup(queue);

    const verifyIds = await concurrently(CODES, (i) =>
      t.post('/v1/verify', { configId: t.configIds[i % 2], to: numberOf(i) }),
    );
    await t.untilSubmitting();
    const whileSealed = await dump(t.db);
    t.gateway.open();
    await t.makeStepsDue();
    // A message whose claim expires at the closed gateway is submitted again, so codes are counted by number.
    const byNumber = (): Map<string, string> =>
      new Map(t.gateway.submitted.map(({ recipient, text }) => [recipient, text.replace('Code ', '')]));
    await waitFor(() => byNumber().size === CODES, {
      otherwise: 'not all codes were sent',
    });
    const codes = [...byNumber().values()];
    await concurrently(TRIED, (i) =>
      t.post('/v1/verify/validate', {
        verifyId: verifyIds[i],
        otp: i % 2 ? byNumber().get(numberOf(i)) : 'WRONG23456',
      }),
    );
    const atTheEnd = await dump(t.db);

    expect(new Set(codes).size).toBe(CODES);
    const places = {
      whileSealed,
      atTheEnd,
      redis: t.commands.join(''),
      logs: t.lines.join('\n'),
      metrics: await register.metrics(),
    };
    expect(
      Object.entries(places)
        .filter(([, text]) => text.length > 0 && containsAny(text, codes))
        .map(([place]) => place),
    ).toEqual([]);
    expect(whileSealed).toContain(numberOf(7)); // the search itself works
    expect(t.lines.filter((line) => line.includes('job.attempted')).length).toBeGreaterThan(0);
    if (queue.name === 'redis') expect(places.redis).toContain(verifyIds[7]);
    const sealed = `SELECT FROM submission WHERE sealed IS NOT NULL UNION ALL SELECT FROM verification_step WHERE sealed IS NOT NULL`;
    await waitFor(async () => (await t.db.query<object[]>(sealed)).length === 0, {
      otherwise: 'sealed codes are left after they were sent',
    });
  });
});

const numberOf = (i: number): string => String(919_800_000_100 + i * 10_000);

/** A gateway that accepts nothing until a test opens it. */
class ClosedGateway extends ScriptedGateway {
  readonly calls: string[] = [];
  open: () => void = () => undefined;
  private readonly opened = new Promise<void>((resolve) => (this.open = resolve));

  override async submit(messages: OutgoingSms[]): Promise<SubmitOutcome[]> {
    this.calls.push(...messages.map(({ messageId }) => messageId));
    await this.opened;
    return super.submit(messages);
  }
}

/**
 * Collects what clients send to Redis, by a plain connection: ioredis fails on commands that arrive with the answer.
 */
async function monitorRedis(url: string, commands: string[]): Promise<Socket> {
  const { hostname, port, password } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.on('data', (text: string) => void commands.push(text));
  const login = password === '' ? [] : [`AUTH ${decodeURIComponent(password)}`];
  const calls = [...login, 'MONITOR'];
  socket.write(calls.map((call) => `${call}\r\n`).join(''));
  const answers = (): number => commands.join('').split('+OK').length - 1;
  await waitFor(() => answers() >= calls.length, { otherwise: 'Redis shows no commands' });
  return socket;
}

async function setup(queue: QueueBackend) {
  await using started = new AsyncDisposableStack();
  const commands: string[] = [];
  const { QUEUE_URL } = queue.settings('');
  if (queue.name === 'redis') {
    const monitor = await monitorRedis(QUEUE_URL, commands);
    started.defer(() => void monitor.destroy());
  }
  const lines: string[] = [];
  const gateway = new ClosedGateway(() => [[delivered()]]);
  const env = { TEMPLATE_REVIEW: 'auto', SIMULATOR_DELAY_MS: '0' };
  const p: Pipeline = started.use(
    await startPipeline({
      queue,
      gateway,
      env,
      workers: ['sms', 'dlr', 'otp', 'chatapp'],
      onLogLine: (line) => void lines.push(line),
    }),
  );
  await p.db.query('UPDATE chat_sender SET messages_per_second = 1000');
  const configIds = await addConfigs(p);
  const all = started.move();
  return {
    db: p.db,
    gateway,
    lines,
    commands,
    configIds,
    post: async (path: string, body: unknown): Promise<string> =>
      (await p.post(path, body)).body['data'] as string,
    /** Resolves when every code is generated and the first is at the closed gateway. */
    untilSubmitting: async (): Promise<void> => {
      const areGenerated = async () =>
        (await p.db.query(`SELECT FROM verification WHERE status = 'WAITING' LIMIT 1`)).length === 0;
      await waitFor(areGenerated, { otherwise: 'not all codes were generated' });
      await waitFor(() => gateway.calls.length > 0, {
        otherwise: 'nothing was submitted',
      });
    },
    /** Makes the SMS of the codes that went over the chat app due. */
    makeStepsDue: () => p.db.query(`UPDATE verification_step SET due_at = now() WHERE status = 'WAITING'`),
    [Symbol.asyncDispose]: async () => {
      gateway.open();
      await all.disposeAsync();
    },
  };
}

async function addConfigs(p: Pipeline): Promise<string[]> {
  const codes = { sender: 'SIGNALBX', text: 'Code {{code}}', codeLength: 10, alphabet: 'alphanumeric' };
  const flow = {
    channel: 'chatapp',
    fallback: 'sms',
    stopOn: 'verified',
    template: await addCodeTemplate(p),
  };
  const configs = [
    { name: 'SMS', ...codes },
    { name: 'chat app, then SMS', ...codes, ...flow },
  ];
  const created = await Promise.all(configs.map((config) => p.post('/v1/verify/configs', config)));
  return created.map(({ body }) => (body['data'] as { id: string }).id);
}

async function concurrently(count: number, work: (i: number) => Promise<string>): Promise<string[]> {
  const results: string[] = Array.from({ length: count }, () => '');
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const i = next++;
      results[i] = await work(i);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}

/** Returns every row of every table as text, with bytes in hex. */
async function dump(db: EntityManager): Promise<string> {
  const tables: { name: string }[] = await db.query(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const [row]: { text: string | null }[] = await db.query(
      `SELECT string_agg(r::text, E'\\n') AS text FROM ${name} AS r`,
    );
    texts.push(row?.text ?? '');
  }
  return texts.join('\n');
}

/** Returns true when one of the codes is in the text: as it is, in base64, or in hex of either case. */
function containsAny(text: string, codes: string[]): boolean {
  const bytes = codes.map((code) => Buffer.from(code));
  const base64 = bytes.map((code) => code.toString('base64').slice(0, 12));
  const hex = bytes.map((code) => code.toString('hex'));
  return anyOf([...codes, ...base64]).test(text) || anyOf(hex).test(text.toLowerCase());
}

/** Makes one expression of texts in base64 or hex: a search for each of 200 codes reads everything 200 times. */
function anyOf(texts: string[]): RegExp {
  return new RegExp(texts.join('|').replaceAll('+', '\\+'));
}
