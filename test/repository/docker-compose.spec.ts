import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface Service {
  image: string;
  command: string;
  environment?: Record<string, string>;
  stop_grace_period?: string;
  healthcheck?: unknown;
}

const ROOT = join(import.meta.dirname, '../..');
const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
};
const ours = Object.entries(services).filter(([, service]) => service.image === 'signalbox');
const apps = ours.filter(([, { command }]) => command.includes('/main.js'));

test('every app is a service, and nothing else is', () => {
  expect(apps.map(([name]) => name).toSorted()).toEqual(
    readdirSync(join(ROOT, 'apps')).filter(isProcess).toSorted(),
  );
});

test.each(ours)('%s runs a file that a build makes', (_, { command }) => {
  const [program, file = ''] = command.split(' ');
  expect(program).toBe('node');
  expect(existsSync(join(ROOT, file.replace('/dist/', '/src/').replace(/\.js$/, '.ts')))).toBe(true);
});

test.each(apps)('%s knows each name in its environment', (name, { environment = {} }) => {
  expect(Object.keys(environment).filter((key) => !settingsOf(name).includes(key))).toEqual([]);
});

test.each(apps)('%s is given every setting that it reads', (name, { environment = {} }) => {
  const given = new Set(['HOST', 'PORT', ...Object.keys(environment)]); // the image sets the first two
  expect(settingsOf(name).filter((key) => !given.has(key))).toEqual([]);
});

test('an app gets longer to stop than it takes to drain', () => {
  for (const [, service] of apps) expect(service.stop_grace_period).toBe('30s');
});

test.each(apps)('%s answers the path that the image asks for its health', (name) => {
  const path = /HEALTHCHECK[^]*?PORT\}(\/\w+)`/.exec(read('Dockerfile'))?.[1];
  expect(path).toBe('/readyz');
  const served =
    name === 'api' ? read('apps/api/src/ops/ops.routes.ts') : read('libs/runtime/src/ops-server.ts');
  expect(served).toContain(`'${path}'`);
});

test('secrets have no default', () => {
  const secrets = ours.flatMap(([, { environment = {} }]) => [
    environment.SECRETS_KEY,
    environment.DATABASE_URL,
  ]);
  for (const secret of secrets) expect(secret).toMatch(/\$\{\w+:\?/);
});

function isProcess(app: string): boolean {
  return existsSync(join(ROOT, 'apps', app, 'src/main.ts'));
}

/** The names in a configuration class are those of the environment. */
function settingsOf(app: string): string[] {
  const own = existsSync(join(ROOT, `apps/${app}/src/config.ts`)) ? read(`apps/${app}/src/config.ts`) : '';
  const base = own.includes('extends SimulatorConfig') ? read('libs/runtime/src/simulator-config.ts') : '';
  const source = read('libs/runtime/src/app-config.ts') + base + own;
  return Array.from(source.matchAll(/^ {2}([A-Z][A-Z0-9_]+)[!?]?:/gm), ([, name]) => name ?? '');
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
