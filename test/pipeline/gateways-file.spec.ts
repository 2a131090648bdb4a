import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startSmsc } from '../../libs/gateways/test/smsc.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { A_QUEUE } from '../support/queue.ts';
import { type Service, startService } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLE = readFileSync(join(ROOT, 'examples/gateways.yml'), 'utf8');

const dir = mkdtempSync(join(tmpdir(), 'signalbox-gateways-file-'));
const file = join(dir, 'gateways.yml');
const lines: string[] = [];
let service: Service;

beforeAll(async () => {
  writeFileSync(file, EXAMPLE);
  service = await startService({
    queue: A_QUEUE.name,
    apps: ['api', 'sms-worker'],
    env: { GATEWAYS_FILE: file, SMSC_PASSWORD: 'from the environment' },
    onLine: (_, line) => void lines.push(line),
  });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

/** Gateways that are up in a worker, with the rates of their rows. */
async function listUp(): Promise<string[]> {
  const rows = await service.query<{ name: string; rate: number | null }>(
    `SELECT DISTINCT g.name, g.rate_per_second AS rate
       FROM gateway g
       JOIN gateway_state s ON s.gateway_id = g.id AND s.status = 'up'
      WHERE g.enabled
      ORDER BY g.name`,
  );
  return rows.map(({ name, rate }) => `${name} ${rate}`);
}

const untilUp = (expected: string[]): Promise<void> =>
  waitFor(async () => JSON.stringify(await listUp()) === JSON.stringify(expected), {
    otherwise: `not up: ${expected.join(', ')}`,
  });

const hangUp = (): void => service.stack.process('api').kill('SIGHUP');

test('the file is applied at the start, at SIGHUP and by the cli, and its gateways serve', async () => {
  await untilUp(['first 200', 'second null']);

  writeFileSync(file, EXAMPLE.replace('ratePerSecond: 200', 'ratePerSecond: 50'));
  hangUp();
  await untilUp(['first 50', 'second null']);

  writeFileSync(file, EXAMPLE.replace('kind: simulator', 'kind: nothing'));
  hangUp();
  await waitFor(() => eventsOf('gateways.not_applied').length > 0, {
    otherwise: 'the broken file was not logged',
  });
  expect(eventsOf('gateways.not_applied')).toMatchObject([{ file, error: { path: file } }]);
  expect(await listUp()).toEqual(['first 50', 'second null']);
  await expect(service.startTwin('api')).rejects.toThrow();
  expect(eventsOf('process.start_failed')).toMatchObject([{ error: { path: file } }]);

  await using smsc = await startSmsc();
  writeFileSync(file, withSmsc(smsc.port));
  const { stdout } = await runCli('apply', file);
  expect(stdout).toContain('third');
  await untilUp(['first 200', 'second null', 'third null']);
  const bind = smsc.received().find(({ command }) => command === 'bind_transceiver');
  expect(bind).toMatchObject({ password: 'by the cli' });
});

/** The lines of an event. */
function eventsOf(event: string): unknown[] {
  return lines.filter((line) => line.includes(`"${event}"`)).map((line) => JSON.parse(line) as unknown);
}

function withSmsc(port: number): string {
  const third = `
  - name: third
    channel: sms
    kind: smpp
    settings: { host: 127.0.0.1, port: ${port}, systemId: test }
    secrets: { password: '\${SMSC_PASSWORD}' }

routes:`;
  return EXAMPLE.replace('\nroutes:', third);
}

function runCli(...args: string[]): Promise<{ stdout: string }> {
  const env = {
    ...process.env,
    DATABASE_URL: service.stack.databaseUrl,
    SECRETS_KEY: readFileSync(join(service.dir, 'secrets.key'), 'utf8').trim(),
    SMSC_PASSWORD: 'by the cli',
  };
  return promisify(execFile)('npm', ['run', '--silent', 'cli', '--', ...args], { cwd: ROOT, env });
}
