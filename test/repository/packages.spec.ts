import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

/** Which of our packages each may use; pnpm lets a package import only what it declares. */
const MAY_USE: Record<string, string[]> = {
  domain: [],
  runtime: [],
  client: [],
  database: ['domain'],
  queues: ['domain', 'runtime'],
  gateways: ['domain'],
  messaging: ['domain', 'database', 'queues', 'gateways', 'runtime'],
};
const ROOT = join(import.meta.dirname, '../..');
const LIBS = Object.keys(MAY_USE);

test.each(readdirSync(join(ROOT, 'libs')))('libs/%s uses only the libs below it', (lib) => {
  const allowed = MAY_USE[lib] ?? [];
  expect(ourDependencies(`libs/${lib}`).filter((name) => !allowed.includes(name))).toEqual([]);
});

test.each(readdirSync(join(ROOT, 'apps')))('apps/%s uses libs only, never another app', (app) => {
  expect(ourDependencies(`apps/${app}`).filter((name) => !LIBS.includes(name))).toEqual([]);
});

function ourDependencies(folder: string): string[] {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  const prefix = '@signalbox/';
  return Object.keys({ ...dependencies, ...devDependencies })
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
}
