import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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

/** Runs a module, and prints the path of each file that is loaded before its process ends. */
const PRINT_LOADED = `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) console.log('loaded ' + url);
      return next(url, context);
    },
  });
  await import(process.argv[1]);
`;

test.each(['api', 'sms-worker'])('the bundle of apps/%s starts without installed packages', async (app) => {
  const bundle = pathToFileURL(join(ROOT, 'apps', app, 'dist/bundle/main.js')).href;
  const args = ['--input-type=module', '--eval', PRINT_LOADED, bundle];
  const output = await new Promise<string>((resolve) => {
    // without settings it ends once all is loaded
    execFile(process.execPath, args, { env: {} }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
  expect(output).toContain('DATABASE_URL must');
  const loaded = [...output.matchAll(/^loaded (.+)$/gm)].map(([, url]) => url!);
  expect(loaded).toContain(bundle);
  expect(loaded.filter((url) => url.includes('/node_modules/'))).toEqual([]);
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
