import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const SOURCES = globSync('apps/dashboard/src/**/*.{ts,tsx}', { cwd: ROOT })
  .filter((path) => !path.endsWith('.spec.ts'))
  .map((path) => ({ path, text: read(path) }));

/** Functions of the client whose calls take an Idempotency-Key. */
const KEYED = Array.from(
  read('libs/client/src/generated/types.gen.ts').matchAll(/^export type (\w+)Data = \{\n(.*?)^\};/gms),
)
  .filter(([, , members]) => members!.includes("'Idempotency-Key'"))
  .map(([, name]) => name!.charAt(0).toLowerCase() + name!.slice(1));

/** The calls of a function in a source, each up to its closing parenthesis. */
function callsOf(name: string, text: string): string[] {
  return Array.from(text.matchAll(new RegExp(`\\b${name}\\(`, 'g')), ({ index, 0: { length } }) => {
    let [end, depth] = [index + length, 1];
    for (; depth > 0; end += 1) depth += Number(text[end] === '(') - Number(text[end] === ')');
    return text.slice(index, end);
  });
}

test('a call of the dashboard that creates something has an Idempotency-Key', () => {
  const unkeyed = SOURCES.flatMap(({ path, text }) => {
    const imported = /import \{([^}]*)\} from '@signalbox\/client'/.exec(text)?.[1] ?? '';
    return KEYED.filter((name) => new RegExp(`\\b${name}\\b`).test(imported))
      .flatMap((name) => callsOf(name, text))
      .filter((call) => !/\bheaders\b|\bdryRun\b|\bquery\b.*\bsignal\b/s.test(call))
      .map((call) => `${path}: ${call}`);
  });

  expect(KEYED.length).toBeGreaterThan(20);
  expect(unkeyed).toEqual([]);
});

test('a button of the dashboard that makes a call is busy meanwhile', () => {
  const free = SOURCES.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/onClick=\{[^}]*\.mutate\w*\(/g), ([press]) => `${path}: ${press}`),
  );

  expect(SOURCES.length).toBeGreaterThan(200);
  expect(free).toEqual([]);
});
