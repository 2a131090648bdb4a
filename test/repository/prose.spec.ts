import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type Passage, findTics, proseOf } from './prose.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Checked places; `npm run jest -- test/repository/prose -t 'in docs'` checks one of them. */
const CHECKED = [
  '*.md',
  'apps',
  'bench',
  'deploy/prometheus/alerts.yml',
  'docker-compose.yml',
  'Dockerfile',
  'docs',
  'examples',
  'libs',
  'test',
  'tools',
];

describe('the repository', () => {
  test.each(CHECKED)('the prose in %s has no banned phrase', (place) => {
    expect(filesOf(place).flatMap(ticsOf)).toEqual([]);
  });
});

describe('a banned phrase is found', () => {
  test.each<[string, string, Passage['kind']]>([
    ['unless told', '50 unless\ntold', 'page'],
    ['end points', 'Calls end points.', 'page'],
    ['rung', 'A row without a job is rung for again.', 'comment'],
    ['at once', 'Sends all of them at once.', 'description'],
    ['is over', 'Its time is over, by the clock.', 'page'],
    ['goes on', 'The worker goes on without Redis.', 'comment'],
    ['answers 503', 'The API answers 503 meanwhile.', 'page'],
    ['in words', 'The reason is in words.', 'page'],
    ['Mend', 'Mend DNS.', 'description'],
    ['is none', 'Undefined for a text that is none.', 'comment'],
    ['Whether a report is final', 'Whether a report is final.', 'comment'],
    ['(decisions, POST /v1/sms)', 'At most 10,000 (decisions, POST /v1/sms).', 'comment'],
    ['(spec 4.8)', 'Accepts one SMS (spec 4.8).', 'comment'],
    ['(C118)', 'a send is stored (C118)', 'test name'],
    [';', 'the first is kept; the second is not', 'test name'],
    ['a'.repeat(90), 'a'.repeat(90), 'test name'],
  ])('%s', (phrase, text, kind) => {
    expect(findTics({ kind, line: 1, text }).map((finding) => finding.phrase)).toContain(phrase);
  });
});

test.each([
  'Undefined when there is none of them. `endPoint` is the wire name; `bell.lost` was a log event.',
  'A function is over 60 lines, or its file is over the limit.',
  'Opening hours decide how a message is sent.',
  'Accounts take turns in one pass over the lane, which has no index of its own.',
])('plain prose passes: %s', (text) => {
  expect(findTics({ kind: 'comment', line: 1, text })).toEqual([]);
});

test('a finding names the line of its phrase', () => {
  const source =
    '/**\n * Calls an\n * end point.\n */\nconst url = "https://x/unless told";\n// Unless told, 50.\n';

  expect(
    proseOf('a.ts', source)
      .flatMap(findTics)
      .map(({ line, phrase }) => `${line} ${phrase}`),
  ).toEqual(['3 end point', '6 Unless told']);
});

test('descriptions and names of tests are read, and other strings are not', () => {
  // The marks keep this file's check from reading the planted names.
  const source = `@ApiOperation({ summ~ary: 'Calls end points' })
const text = 'unless told';
te~st('it rings', () => {});
te~stInBrowser('pages go on', async () => {});
te~st.each([1])~(
  'a bell for %s',
  async () => {},
);`.replaceAll('~', '');

  expect(proseOf('a.spec.ts', source).map(({ kind, line, text }) => `${kind} ${line} ${text}`)).toEqual([
    'description 1 Calls end points',
    'test name 3 it rings',
    'test name 4 pages go on',
    'test name 5 a bell for %s',
  ]);
});

test('comments, summaries and actions of YAML are read', () => {
  const source = '# Rings.\nalert: Bells\nannotations:\n  summary: "Pushes wait."\n  action: "Restart it."\n';

  expect(proseOf('alerts.yml', source).map(({ kind, line, text }) => `${kind} ${line} ${text}`)).toEqual([
    'comment 1 Rings.',
    'description 4 Pushes wait.',
    'description 5 Restart it.',
  ]);
});

test('code of a page is not read', () => {
  expect(proseOf('a.md', '# Title\n```sh\nunless told\n```\n[a](b.md#at-once)').flatMap(findTics)).toEqual(
    [],
  );
});

/** The types of the generated client are read, since their comments are all descriptions of the API. */
function filesOf(place: string): string[] {
  const pattern = place.includes('.') || place === 'Dockerfile' ? place : `${place}/**/*.{ts,tsx,mjs,md}`;
  return globSync(pattern, {
    cwd: ROOT,
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      '**/results/**',
      '**/generated/client/**',
      '**/generated/core/**',
    ],
  });
}

function ticsOf(path: string): string[] {
  return proseOf(path, readFileSync(join(ROOT, path), 'utf8'))
    .flatMap(findTics)
    .map(({ line, phrase, instead }) => `${path}:${line} "${phrase}" → ${instead}`);
}
