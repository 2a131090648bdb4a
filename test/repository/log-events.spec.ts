import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');

/** Names in code that look like events: columns, fields, attributes and event types. */
const OTHERS =
  /^(message\.(received|sent|status)|template\.name|error\.type|http\.route|callback\.signature)$/;

/** The form of an event: a thing that this service logs about, a dot, and what happened. */
const EVENT =
  /'((?:audit|bind_slots?|callback|click|clock|dependency|duty|endpoint|enqueue|gateways?|http|inbound|job|key|lane|media|message|nest|numbers|oidc|orphans|phone|process|push|queue|queue_board|redis|report|rows|secret|session|smpp|statistics|stream|submit|templates?|verification|webhook|weeks|worker)\.[a-z_]+)'/g;

test('docs/log-events.md lists every event that the code logs, and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/log-events.md'), 'utf8');
  const listed = Array.from(page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \|/gm), ([, event = '']) => event);

  const logged = sources().flatMap((path) =>
    Array.from(readFileSync(join(ROOT, path), 'utf8').matchAll(EVENT), ([, event = '']) => event),
  );

  expect(listed).toEqual([...new Set(logged)].filter((event) => !OTHERS.test(event)).toSorted());
});

test('every logged event has the form that the list is checked by', () => {
  const logged = sources().flatMap((path) =>
    Array.from(
      readFileSync(join(ROOT, path), 'utf8').matchAll(
        /(?:logger\s*\.(?:debug|info|warn|error|routine)\((?:[^()]|\([^()]*\))*?|logEvent: )('[a-z_]+\.[a-z_]+')/g,
      ),
      ([, event = '']) => event,
    ),
  );

  expect(logged.length).toBeGreaterThan(30);
  expect(logged.filter((event) => event.match(EVENT) === null)).toEqual([]);
});

/** Files of apps and libs that run, without tests and pages. */
function sources(): string[] {
  const { stdout } = spawnSync('git', ['ls-files', 'apps/*/src/*.ts', 'libs/*/src/*.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return stdout
    .split('\n')
    .filter((path) => path !== '' && !/\.spec\.ts$|^apps\/dashboard\/|^libs\/client\//.test(path));
}
