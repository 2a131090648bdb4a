import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { hasRedis } from '../servers/redis.ts';

/** Counts for the last line. A check that is not made of tests counts as one. */
interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

interface TestOutcome extends Outcome {
  /** Paths from the root. */
  failedFiles: string[];
}

interface Check {
  name: string;
  /** A program under node_modules/.bin, or a script for Node. */
  command: string[];
}

const ROOT = join(import.meta.dirname, '../..');
const STATIC_CHECKS: Check[] = [
  { name: 'types', command: typeCheck('tsconfig.json', 'types') },
  { name: 'dashboard types', command: typeCheck('apps/dashboard/tsconfig.json', 'dashboard-types') },
  { name: 'lint', command: ['oxlint', '--deny-warnings', '--format=unix'] },
  { name: 'format', command: ['biome', 'format'] },
  { name: 'unused code', command: ['knip', '--no-progress', '--no-config-hints'] },
  { name: 'workspace', command: ['sherif'] },
];
/** Programs that the tests of the dashboard look for. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
/** Failed test files that are run again. More than these are no accident. */
const MAX_REPEATED = 8;
const children = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => children.forEach((child) => child.kill(signal)));

const isLintOnly = process.argv.includes('--only=lint');
const env = { ...process.env, ...(process.env.CI === 'true' && { NO_COLOR: '1', FORCE_COLOR: undefined }) };

const outcomes = isLintOnly ? await lint() : [await build(), ...(await lintAndTest())];
const total = (kind: keyof Outcome) => outcomes.reduce((sum, outcome) => sum + outcome[kind], 0);
console.log(`\n${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped`);
process.exitCode = total('failed') > 0 ? 1 : 0;

function build(): Promise<Outcome> {
  return run({ name: 'build', command: ['node', 'tools/bootstrap.mjs', 'build'] });
}

function lint(): Promise<Outcome[]> {
  return Promise.all(STATIC_CHECKS.map(run));
}

/** Runs the static checks one after the other, while the tests run: those that run first wait most of their time. */
async function lintAndTest(): Promise<Outcome[]> {
  const tests = jest();
  const checks: Outcome[] = [];
  for (const check of STATIC_CHECKS) checks.push(await run(check));
  return [...checks, await tests];
}

/** Checks the types of a project. A repeat checks only what a change affects. */
function typeCheck(project: string, name: string): string[] {
  const results = join(ROOT, 'node_modules/.signalbox', `${name}.tsbuildinfo`);
  return ['tsc', '-p', project, '--incremental', '--tsBuildInfoFile', results];
}

/** Runs a check and prints its output only when it fails. */
async function run({ name, command: [program = '', ...args] }: Check): Promise<Outcome> {
  const startedAt = performance.now();
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const isGood = (await exitCode(child)) === 0;
  report(name, isGood, startedAt);
  if (!isGood) console.log(Buffer.concat(output).toString().trimEnd());
  return { passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: 0 };
}

/**
 * Runs all tests, against one Postgres and one Redis; they report as they go. A few failed files run once more,
 * alone: what passes then depends on the machine's load, is named as flaky, and does not fail the check.
 */
async function jest(): Promise<Outcome> {
  const startedAt = performance.now();
  if (!hasRedis()) installIfWeMay('redis-server');
  if (process.env.CI === 'true' && !BROWSERS.some((path) => existsSync(path)))
    installIfWeMay('chromium-headless-shell');
  let outcome = await runTests([]);
  const { failedFiles } = outcome;
  if (failedFiles.length > 0 && failedFiles.length <= MAX_REPEATED) {
    console.log(`\nRunning again, alone: ${failedFiles.join(', ')}`);
    const alone = await runTests(['--runInBand', '--runTestsByPath', ...failedFiles]);
    if (alone.failed === 0) outcome = { ...outcome, passed: outcome.passed + outcome.failed, failed: 0 };
  }
  report('tests', outcome.failed === 0, startedAt);
  if (outcome.failed === 0)
    for (const file of failedFiles)
      console.log(`FLAKY   ${file}: it failed together with other tests, and passed alone. Fix it.`);
  if (!hasRedis()) console.log('Tests of the Redis queue were skipped: no redis-server is installed.');
  return outcome;
}

async function runTests(selection: string[]): Promise<TestOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-jest-'));
  const results = join(folder, 'results.json');
  const args = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    // a young generation in which the objects of a test die: each copy of a survivor costs
    '--min-semi-space-size=16',
    '--max-semi-space-size=32',
    'node_modules/jest/bin/jest.js',
    '--forceExit',
    '--json',
    `--outputFile=${results}`,
  ];
  try {
    // Jest writes the results once more to its standard output.
    const code = await exitCode(
      spawn(process.execPath, [...args, ...selection], {
        cwd: ROOT,
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    const outcome = readResults(results);
    // Jest may fail without a failed test, for instance when the servers do not start.
    if (code !== 0 && outcome.failed === 0) outcome.failed = 1;
    return outcome;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The part of Jest's results that is read here. */
interface JestResults {
  numPassedTests: number;
  numFailedTests: number;
  numRuntimeErrorTestSuites: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { name: string; status: string }[];
}

function readResults(path: string): TestOutcome {
  if (!existsSync(path)) return { passed: 0, failed: 1, skipped: 0, failedFiles: [] };
  const results = JSON.parse(readFileSync(path, 'utf8')) as JestResults;
  const failed = results.testResults.filter(({ status }) => status === 'failed');
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
    failedFiles: failed.map(({ name }) => relative(ROOT, name)),
  };
}

/**
 * On a throw-away machine (root on Debian or Ubuntu) a package is one command away; elsewhere that is not ours to do.
 */
function installIfWeMay(name: string): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log(`Installing ${name}…`);
  try {
    execFileSync('sh', ['-c', `apt-get update && apt-get install -y --no-install-recommends ${name}`], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: 'pipe',
      timeout: 300_000,
    });
  } catch (error) {
    console.log(`${name} could not be installed: ${(error as Error).message.split('\n')[0]}`);
  }
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  children.add(child);
  const [code] = (await once(child, 'close')) as [number | null];
  children.delete(child);
  return code;
}

function report(name: string, isGood: boolean, startedAt: number): void {
  console.log(
    `${isGood ? 'ok    ' : 'FAILED'}  ${name.padEnd(15)} ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  );
}
