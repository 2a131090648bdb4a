import { expect, test } from '@jest/globals';
import { openDataSource } from '@signalbox/database/data-source';
import { Redis } from 'ioredis';
import { register } from 'prom-client';
import type { EntityManager } from 'typeorm';
import { ScriptedGateway, delivered } from '../../apps/api/test/scripted-gateway.ts';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import type { SubmitOutcome } from '@signalbox/gateways/submit-outcome';
import { waitFor } from '../servers/wait-for.ts';
import { type QueueBackend, describeOnEachQueue } from '../test/queue.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';

const CODES = 1_000;
const AT_ONCE = 50;

describeOnEachQueue((queue) => {
  test('none of 1,000 codes can be read in Postgres, in what Redis is told, in a log line or in a metric, at any time', async () => {
    await using t = await setup(queue);
    const { configId } = t;

    const verifyIds = await inTurns(CODES, (i) => t.post('/v1/verify', { configId, to: numberOf(i) }));
    await t.untilSubmitting();
    const whileSealed = await dump(t.db);
    t.gateway.open();
    await waitFor(() => t.gateway.submitted.length === CODES, { timeoutMs: 60_000, otherwise: 'not all codes were sent' });
    const codes = t.gateway.submitted.map(({ text }) => text.replace('Code ', ''));
    const byNumber = new Map(t.gateway.submitted.map(({ recipient }, i) => [recipient, codes[i]]));
    await inTurns(200, (i) =>
      t.post('/v1/verify/validate', { verifyId: verifyIds[i], otp: i % 2 ? byNumber.get(numberOf(i)) : 'WRONG23456' }),
    );
    const atTheEnd = await dump(t.db);

    expect(new Set(codes).size).toBe(CODES);
    const places = { whileSealed, atTheEnd, redis: t.commands.join('\n'), logs: t.lines.join('\n'), metrics: await register.metrics() };
    expect(
      Object.entries(places)
        .filter(([, text]) => text.length > 0 && holdsAny(text, codes))
        .map(([place]) => place),
    ).toEqual([]);
    expect(whileSealed).toContain(numberOf(7)); // the search itself works
    expect(t.lines.filter((line) => line.includes('job.attempted')).length).toBeGreaterThan(0);
    if (queue.name === 'redis') expect(places.redis).toContain(verifyIds[7]);
    expect(await t.db.query('SELECT count(*)::integer AS sealed FROM submission WHERE sealed IS NOT NULL')).toEqual([{ sealed: 0 }]);
  });
});

const numberOf = (i: number): string => String(919_800_000_100 + i * 10_000);

/** A gateway that lets nothing through until it is told to. */
class HeldGateway extends ScriptedGateway {
  readonly calls: string[] = [];
  open: () => void = () => undefined;
  private readonly opened = new Promise<void>((resolve) => (this.open = resolve));

  override async submit(messages: OutgoingSms[]): Promise<SubmitOutcome[]> {
    this.calls.push(...messages.map(({ messageId }) => messageId));
    await this.opened;
    return super.submit(messages);
  }
}

async function setup(queue: QueueBackend) {
  await using started = new AsyncDisposableStack();
  const commands: string[] = [];
  const { QUEUE_URL } = queue.settings('');
  if (queue.name === 'redis') {
    const client = new Redis(QUEUE_URL);
    const monitor = await client.monitor();
    monitor.on('monitor', (_time: string, args: string[]) => void commands.push(args.join(' ')));
    started.defer(() => [monitor, client].forEach((each) => each.disconnect()));
  }
  const lines: string[] = [];
  const gateway = new HeldGateway(() => [[delivered()]]);
  const p: Pipeline = started.use(
    await startPipeline({ queue, gateway, workers: ['sms', 'dlr', 'otp'], onLogLine: (line) => void lines.push(line) }),
  );
  const source = await openDataSource({ url: p.databaseUrl, applicationName: 'test', poolSize: 1, commit: 'durable' });
  started.defer(() => source.destroy());
  const config = await p.post('/v1/verify/configs', {
    name: 'canary',
    sender: 'SIGNALBX',
    text: 'Code {{code}}',
    codeLength: 10,
    alphabet: 'alphanumeric',
  });
  const all = started.move();
  return {
    db: source.manager,
    gateway,
    lines,
    commands,
    configId: (config.body['data'] as { id: string }).id,
    post: async (path: string, body: unknown): Promise<string> => (await p.post(path, body)).body['data'] as string,
    untilSubmitting: () => waitFor(() => gateway.calls.length > 0, { timeoutMs: 30_000, otherwise: 'nothing was submitted' }),
    [Symbol.asyncDispose]: async () => {
      gateway.open();
      await all.disposeAsync();
    },
  };
}

async function inTurns(count: number, work: (i: number) => Promise<string>): Promise<string[]> {
  const results: string[] = Array.from({ length: count }, () => '');
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const i = next++;
      results[i] = await work(i);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** Every row of every table as text; bytes as they are printed, in hex. */
async function dump(db: EntityManager): Promise<string> {
  const tables: { name: string }[] = await db.query(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const [row]: { text: string | null }[] = await db.query(`SELECT string_agg(r::text, E'\\n') AS text FROM ${name} AS r`);
    texts.push(row?.text ?? '');
  }
  return texts.join('\n');
}

function holdsAny(text: string, codes: string[]): boolean {
  const hex = text.toLowerCase();
  return codes.some(
    (code) =>
      text.includes(code) ||
      hex.includes(Buffer.from(code).toString('hex')) ||
      text.includes(Buffer.from(code).toString('base64').slice(0, 12)),
  );
}
