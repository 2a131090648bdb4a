import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { collectDefaultMetrics } from 'prom-client';
import { parse } from 'yaml';
import { startPipeline } from '../support/pipeline.ts';
import { A_QUEUE } from '../support/queue.ts';

interface Rules {
  groups: [{ rules: { alert: string; expr: string }[] }];
}

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy/prometheus');
const { rules } = (parse(readFileSync(join(FOLDER, 'alerts.yml'), 'utf8')) as Rules).groups[0];
const { panels } = JSON.parse(
  readFileSync(join(ROOT, 'deploy/grafana/dashboards/signalbox.json'), 'utf8'),
) as { panels: { targets?: { expr: string }[] }[] };
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const withPromtool = spawnSync('promtool', ['--version']).status === 0 ? describe : describe.skip;

test('alerts read metrics that docs/operations.md explains', () => {
  const docs = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const metrics = rules.flatMap(({ expr }) => expr.match(/\b(?:signalbox|nodejs)_\w+/g) ?? []);
  const named = metrics.map((metric) => metric.replace(/_(?:count|bucket)$/, ''));

  expect(rules.length).toBeGreaterThan(10);
  expect(named.filter((metric) => !docs.includes(`| \`${metric}\``))).toEqual([]);
});

test('each alert has a line of the runbook', () => {
  const docs = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const lines = Array.from(docs.matchAll(/^\| `(Signalbox\w+)` \|/gm), ([, name]) => name);

  expect(lines).toEqual(rules.map(({ alert }) => alert));
});

test('each alert has a test that fires it', () => {
  const tests = readFileSync(join(FOLDER, 'alerts.test.yml'), 'utf8');

  expect(rules.map(({ alert }) => alert).filter((name) => !tests.includes(`alertname="${name}"`))).toEqual(
    [],
  );
});

test('alerts and the dashboard read metrics that /metrics has, each of them explained', async () => {
  await using p = await startPipeline({ queue: A_QUEUE, workers: [] });
  collectDefaultMetrics();
  const live = await (await fetch(`${p.apiUrl}/metrics`)).text();
  const names = new Set(Array.from(live.matchAll(/^# TYPE (\w+)/gm), ([, name]) => name));
  const docs = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');

  const read = [...queries, ...rules.map(({ expr }) => expr)]
    .flatMap((expr) => expr.match(/\b(?:signalbox|nodejs|process)_\w+/g) ?? [])
    .filter((name) => !names.has(name) && !names.has(name.replace(/_(?:count|sum|bucket)$/, '')));

  expect(queries.length).toBeGreaterThan(30);
  expect(read).toEqual([]);
  const own = [...names].filter((name) => name?.startsWith('signalbox_'));
  expect(own.filter((name) => !docs.includes(`| \`${name}\``))).toEqual([]);
  const shown = queries.join('\n');
  expect(own.filter((name) => !shown.includes(`${name}`))).toEqual([]);
});

test('an alert for slow calls has a bucket at its limit', async () => {
  await using p = await startPipeline({ queue: A_QUEUE, workers: [] });
  await fetch(`${p.apiUrl}/v1/sms`, { method: 'POST' });
  const live = await (await fetch(`${p.apiUrl}/metrics`)).text();

  const limits = rules.flatMap(({ expr }) =>
    Array.from(
      expr.matchAll(/histogram_quantile\(.*?(\w+_bucket).*?> ([\d.]+)/g),
      ([, name, limit]) => new RegExp(`^${name}\\{le="${limit}"`, 'm'),
    ),
  );

  expect(limits).toHaveLength(1);
  for (const bucket of limits) expect(live).toMatch(bucket);
});

withPromtool('promtool', () => {
  test('parses each query of the dashboard', () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-queries-'));
    const file = join(folder, 'rules.yml');
    const recorded = queries.map((expr, i) => ({
      record: `query:${i}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));

    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' });

    rmSync(folder, { recursive: true });
    expect(`${stdout}${stderr}`).toContain(`SUCCESS: ${queries.length} rules found`);
    expect(status).toBe(0);
  });

  test('fires each alert, and none on a healthy service', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'alerts.test.yml'], {
      cwd: FOLDER,
      encoding: 'utf8',
    });

    expect(`${stdout}${stderr}`).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});
