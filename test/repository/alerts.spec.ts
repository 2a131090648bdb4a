import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface Rules {
  groups: [{ rules: { alert: string; expr: string }[] }];
}

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy/prometheus');
const { rules } = (parse(readFileSync(join(FOLDER, 'alerts.yml'), 'utf8')) as Rules).groups[0];
const withPromtool = spawnSync('promtool', ['--version']).status === 0 ? describe : describe.skip;

test('alerts read metrics that docs/operations.md explains', () => {
  const docs = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const metrics = rules.flatMap(({ expr }) => expr.match(/\b(?:signalbox|nodejs)_\w+/g) ?? []);
  const named = metrics.map((metric) => metric.replace(/_(?:count|bucket)$/, ''));

  expect(rules.length).toBeGreaterThan(10);
  expect(named.filter((metric) => !docs.includes(`| \`${metric}\``))).toEqual([]);
});

test('each alert has a test that fires it', () => {
  const tests = readFileSync(join(FOLDER, 'alerts.test.yml'), 'utf8');

  expect(rules.map(({ alert }) => alert).filter((name) => !tests.includes(`alertname="${name}"`))).toEqual(
    [],
  );
});

withPromtool('promtool', () => {
  test('fires each alert, and none on a healthy service', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'alerts.test.yml'], {
      cwd: FOLDER,
      encoding: 'utf8',
    });

    expect(`${stdout}${stderr}`).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});
