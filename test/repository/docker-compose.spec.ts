import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { expect, test } from '@jest/globals';
import { SCOPES } from '@signalbox/domain/scope';
import { serveOps } from '@signalbox/runtime/ops-server';
import { parse } from 'yaml';
import { startPipeline } from '../support/pipeline.ts';
import { A_QUEUE } from '../support/queue.ts';
import { CONFIGS, namesOf } from './settings.ts';

interface Service {
  mem_limit?: string;
  tmpfs?: string;
  volumes?: string[];
  logging?: { options: object };
  image: string;
  command: string;
  environment?: Record<string, string>;
  ports?: string[];
  stop_grace_period?: string;
  healthcheck?: unknown;
}

const ROOT = join(import.meta.dirname, '../..');
const { name: project, services } = parse(read('docker-compose.yml'), { merge: true }) as {
  name?: string;
  services: Record<string, Service>;
};
const PRODUCTION = read('docs/production.md');
const UPGRADING = read('docs/upgrading.md');
const ours = Object.entries(services).filter(([, service]) => service.image.startsWith('signalbox:'));
const apps = ours.filter(([, { command }]) => command.includes('/main.js'));

test('every app is a service, and nothing else is', () => {
  expect(apps.map(([name]) => name).toSorted()).toEqual(
    readdirSync(join(ROOT, 'apps')).filter(isProcess).toSorted(),
  );
});

test('a checkout in a folder of any name works on the same containers and volumes', () => {
  expect(project).toBe('signalbox');
});

test.each(['.gitignore', '.dockerignore'])('%s has the files with secrets and with data', (list) => {
  const patterns = read(list).split('\n');
  const [, kept = ''] = /^Keep the files that you wrote too: (.*?), and the folders/ms.exec(PRODUCTION) ?? [];
  const written = Array.from(kept.matchAll(/`(.*?)`/g), ([, file = '']) => file);
  const backups = Array.from(PRODUCTION.matchAll(/> \/var\/backups\/(.*)/g), ([, file = '']) => file);

  expect([written.length, backups.length]).toEqual([3, 2]);
  const exposed = [...written, ...backups].filter(
    (file) => !patterns.some((pattern) => matchesGlob(file, pattern)),
  );
  expect(exposed).toEqual([]);
});

test('no guide writes data or restores it in the folder of the repository', () => {
  const guides = ['production', 'operations', 'upgrading'].map((page) => read(`docs/${page}.md`)).join('\n');

  expect(guides.match(/[<>] [\w-]+\.(?:dump|tar)\b/g)).toBeNull();
});

test('the first key of each guide has scopes, and none over all accounts', () => {
  const guides = ['docker-compose.yml', 'docs/operations.md', 'docs/kubernetes.md', 'docs/production.md'];
  const keys = guides.flatMap((path) =>
    Array.from(
      read(path).matchAll(/ signalbox create-key "(?:.*?)"(?: --scopes (\S+))?/g),
      ([, list]) => list,
    ),
  );

  expect(keys).toHaveLength(guides.length);
  for (const key of keys) {
    const scopes = key?.split(',') ?? ['ops'];
    expect(scopes.filter((scope) => scope === 'ops' || !SCOPES.some((each) => each === scope))).toEqual([]);
  }
});

test('going back replaces every app, the api first, after it is stopped', () => {
  const [, block = ''] =
    /^With Docker Compose, in the folder of the .*?```sh\n(.*?)```/ms.exec(UPGRADING) ?? [];
  const steps = Array.from(
    block.matchAll(/^docker compose (stop|up)(?: --\S+)* (.*)$/gm),
    ([, step, names]) => [step, names],
  );

  const [stop, api, [, workers = ''] = []] = steps;
  expect([stop, api]).toEqual([
    ['stop', 'api'],
    ['up', 'api'],
  ]);
  expect([...workers.split(' '), 'api'].toSorted()).toEqual(apps.map(([name]) => name).toSorted());
});

test.each(ours)('%s runs a built file', (_, { command }) => {
  const [program, file = ''] = command.split(' ');
  expect(program).toBe('node');
  expect(existsSync(join(ROOT, file.replace(/\/dist\/(bundle\/)?/, '/src/').replace(/\.js$/, '.ts')))).toBe(
    true,
  );
});

test.each(apps)('%s reads each setting of its environment', (name, { environment = {} }) => {
  const known = new Set(['TMPDIR', ...namesOf(CONFIGS[name]!)]);
  expect(Object.keys(environment).filter((key) => !known.has(key))).toEqual([]);
});

test.each(apps)('%s gets every setting that it reads', (name, { environment = {} }) => {
  const given = new Set(['HOST', 'PORT', ...Object.keys(environment)]); // the image sets the first two
  const known = namesOf(CONFIGS[name]!);
  expect([...known].filter((key) => !given.has(key))).toEqual([]);
});

test.each(apps)('%s takes each setting but its folders from .env', (_, { environment = {} }) => {
  const fixed = Object.entries(environment).filter(([key, value]) => !value.startsWith(`\${${key}:`));
  expect(fixed.filter(([key]) => key !== 'MEDIA_DIR' && key !== 'TMPDIR')).toEqual([]);
});

test('the api keeps uploads on their way to a bucket on a volume, not in memory', () => {
  const { environment = {}, tmpfs, volumes = [] } = services['api']!;
  const folder = environment['TMPDIR'] ?? '/tmp';

  expect(tmpfs).not.toBe(folder);
  expect(volumes.map((volume) => volume.split(':'))).toContainEqual(['media', folder]);
});

test('the Caddyfile of docs/production.md checks every port that an api may get', () => {
  const [, caddyfile = ''] = /```caddyfile\n(.*?)```/s.exec(PRODUCTION) ?? [];
  const [, first, last] = /:(\d+)-(\d+):3000$/.exec(services['api']?.ports?.[0] ?? '') ?? [];
  const ports = Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i);

  expect(/^\treverse_proxy (.*) \{$/m.exec(caddyfile)?.[1]?.split(' ')).toEqual(
    ports.map((port) => `127.0.0.1:${port}`),
  );
  expect(caddyfile).toContain('\thealth_uri /readyz ');
});

test('an app has more time to stop than it takes to drain', () => {
  for (const [, service] of apps) expect(service.stop_grace_period).toBe('30s');
});

test.each([
  [[], 0],
  [['postgres'], 1],
])(
  'the health check of the image, for a worker that waits for %j, exits with %i',
  async (notReady, exitCode) => {
    const ops = await serveOps({ notReady: async () => notReady }, 0, '127.0.0.1');
    try {
      expect(await checkHealth(ops.port)).toBe(exitCode);
    } finally {
      await ops.close();
    }
  },
);

test('the health check of the image passes for a ready api', async () => {
  await using api = await startPipeline({ queue: A_QUEUE, workers: [] });

  expect(await checkHealth(Number(new URL(api.apiUrl).port))).toBe(0);
});

test('the image has every source that its command line imports', () => {
  const [, folders = ''] = /for path in ([^;]*?)libs\//.exec(read('Dockerfile').replaceAll('\\\n', '')) ?? [];
  const copied = folders.split(/\s+/).filter((path) => /^tools\/\w+$/.test(path));
  const sources = copied.flatMap((folder) =>
    globSync(`${folder}/**/*.ts`, { cwd: ROOT, exclude: ['**/node_modules/**', '**/*.spec.ts'] }),
  );
  const imports = sources.flatMap((source) =>
    [...read(source).matchAll(/from '(\.[^']*)'/g)].map(([, path = '']) => join(dirname(source), path)),
  );

  expect(copied).toContain('tools/cli');
  expect(imports.filter((path) => !sources.includes(path))).toEqual([]);
});

test('every process can trust a certificate authority of your own', () => {
  const { services: trusting } = parse(read('deploy/compose/ca.yml')) as {
    services: Record<string, { environment: object; volumes: string[] }>;
  };

  expect(Object.keys(trusting).toSorted()).toEqual(ours.map(([name]) => name).toSorted());
  for (const { environment, volumes } of Object.values(trusting)) {
    const [, folder = ''] = /^\.\/deploy\/compose\/ca:(.*):ro$/.exec(volumes[0] ?? '') ?? [];
    expect(environment).toEqual({ NODE_EXTRA_CA_CERTS: `${folder}/ca.pem` });
  }
});

test('secrets have no default', () => {
  const secrets = ours.flatMap(([, { environment = {} }]) => [
    environment.SECRETS_KEY,
    environment.DATABASE_URL,
    environment.QUEUE_URL,
  ]);
  for (const secret of secrets) expect(secret).toMatch(/\$\{\w+:\?/);
});

test('every service has a limit of its memory and its log', () => {
  for (const [name, { mem_limit: memory, logging }] of Object.entries(services))
    expect([name, memory, logging?.options]).toEqual([
      name,
      expect.stringMatching(/\d[mg]\}?$/),
      { 'max-size': '50m', 'max-file': '5' },
    ]);
});

test('the secrets are made once: a repeat adds what is missing and changes nothing', () => {
  const t = setupSecrets('SECRETS_KEY=kept\n');

  const made = t.make();

  expect(made).toMatch(/^SECRETS_KEY=kept\n/);
  const needed = [...read('docker-compose.yml').matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
  for (const name of needed) expect(made).toMatch(new RegExp(`^${name}=\\S+$`, 'm'));
  expect(t.make()).toBe(made);
});

test('secrets are added below a last line without an end, in a file of the owner alone', () => {
  const t = setupSecrets('PUBLIC_URL=https://sms.example.com');

  expect(t.make()).toMatch(/^PUBLIC_URL=https:\/\/sms\.example\.com\nSECRETS_KEY=/);

  expect(statSync(t.file).mode & 0o777).toBe(0o600);
});

function setupSecrets(content: string) {
  const file = join(mkdtempSync(join(tmpdir(), 'signalbox-env-')), '.env');
  writeFileSync(file, content);
  const make = (): string => {
    execFileSync('sh', [join(ROOT, 'deploy/compose/make-env.sh'), file]);
    return readFileSync(file, 'utf8');
  };
  return { file, make };
}

function isProcess(app: string): boolean {
  return existsSync(join(ROOT, 'apps', app, 'src/main.ts'));
}

/** Runs the health check of the image as Docker does. @returns its exit code */
async function checkHealth(port: number): Promise<number> {
  const [, check = '[]'] = /HEALTHCHECK[^]*?CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? [];
  const [program = '', ...args] = JSON.parse(check) as string[];
  const [code] = await once(spawn(program, args, { env: { ...process.env, PORT: String(port) } }), 'close');
  return code as number;
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
