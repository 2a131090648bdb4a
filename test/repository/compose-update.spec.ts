import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from '@jest/globals';

const UPDATE = join(import.meta.dirname, '../../deploy/compose/update.sh');
const DOCKER = join(import.meta.dirname, '../support/fake-docker.mjs');

test('an update replaces all api containers', () => {
  using t = setup(['old-1', 'old-2']);

  expect(t.update('healthy')).toBe(0);

  expect(t.containers()).toEqual(['new-3', 'new-4']);
});

test('an update that fails leaves the old api containers, and can be repeated', () => {
  using t = setup(['old-1', 'old-2']);

  for (let i = 0; i < 3; i += 1) {
    expect(t.update('unhealthy')).toBe(1);
    expect(t.containers()).toEqual(['old-1', 'old-2']);
  }

  expect(t.update('healthy')).toBe(0);
  expect(t.containers()).toEqual(['new-9', 'new-10']);
});

test('an update starts as many api containers as are configured', () => {
  using t = setup(['old-1', 'stopped-2']);

  expect(t.update('healthy')).toBe(0);

  expect(t.containers()).toEqual(['new-3', 'new-4']);
});

test.each(['broken', 'interrupted'])('an update whose stops are %s replaces all api containers', (stop) => {
  using t = setup(['old-1', 'old-2']);

  expect(t.update('healthy', stop)).toBe(0);

  expect(t.containers()).toEqual(['new-3', 'new-4']);
});

/** An installation with two api containers, on four ports, and a fake of Docker that knows them. */
function setup(running: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-update-'));
  const state = join(folder, 'state.json');
  writeFileSync(join(folder, 'docker'), `#!/bin/sh\nexec '${process.execPath}' '${DOCKER}' "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(state, JSON.stringify({ made: running.length, containers: running }));
  return {
    update: (health: 'healthy' | 'unhealthy', stop = '') => {
      const env = {
        ...process.env,
        PATH: `${folder}${delimiter}${process.env.PATH}`,
        STATE: state,
        HEALTH: health,
        STOP: stop,
      };
      return spawnSync('sh', [UPDATE], { env }).status;
    },
    containers: () => (JSON.parse(readFileSync(state, 'utf8')) as { containers: string[] }).containers,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}
