import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ERRORS } from '../../apps/api/src/errors/error-codes.ts';
import { CONFIGS, namesOf } from './settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['troubleshooting', 'production', 'security', 'privacy', 'upgrading', 'operations'];
const sources = globSync('{apps,libs}/*/src/**/*.ts', {
  cwd: ROOT,
  exclude: ['**/*.spec.ts', 'apps/dashboard/**'],
})
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n');

/** Prefixes of log events; other words with a full stop are fields and files. */
const EVENTS = new Set(Array.from(sources.matchAll(/, '([a-z_]+)\.[a-z_]+'\)/g), ([, area]) => area));
/** Names that the files of a deployment read. */
const deployment = ['docker-compose.yml', 'tools/cli/command.ts']
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n');
/** Settings of other programs. */
const FOREIGN = new Set([
  'COMPOSE_FILE',
  'SIGNALBOX_URL',
  'SIGNALBOX_API_KEY',
  'POSTGRES_PASSWORD',
  'WEBHOOK_SECRET',
]);

test.each(PAGES)('docs/%s.md names log events, metrics, errors and settings that exist', (page) => {
  const text = readFileSync(join(ROOT, `docs/${page}.md`), 'utf8');
  const named = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
  const settings = new Set(Object.values(CONFIGS).flatMap((config) => [...namesOf(config)]));

  const unknown = named.filter((code) => {
    if (/^signalbox_[a-z_]+$/.test(code)) return !sources.includes(`'${code}'`);
    if (/^[a-z_]+\.(?!env$|yml$)[a-z_]+$/.test(code) && EVENTS.has(code.split('.')[0]))
      return !sources.includes(`'${code}'`);
    if (/^[A-Z]+(_[A-Z]+)+$/.test(code))
      return !settings.has(code) && !FOREIGN.has(code) && !`${sources}${deployment}`.includes(code);
    return false;
  });

  expect(unknown).toEqual([]);
});

test('docs/troubleshooting.md names errors of the API by their codes', () => {
  const text = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');
  const codes = Array.from(text.matchAll(/\b(?:4\d\d|5\d\d) `([a-z_]+)`/g), ([, code = '']) => code);

  expect(codes.length).toBeGreaterThan(8);
  expect(codes.filter((code) => !(code in ERRORS))).toEqual([]);
});
