// Entry point of this repository: `node tools/bootstrap.mjs <task> [args]`. Runs on any Node from 20 on with nothing
// installed: installs the packages of pnpm-lock.yaml, builds what changed, and runs the task with the Node 24 that is
// one of those packages. Its own notices are on stderr, so that stdout has the output of the task alone.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const STAMPS = join(ROOT, 'node_modules/.signalbox');
const NODE = join(ROOT, 'node_modules/node/bin/node');
const PNPM = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).packageManager;

/** Files of the root that a build reads. */
const BUILD_FILES = ['pnpm-lock.yaml', 'turbo.json', 'tsconfig.base.json', 'rolldown.config.mjs'];

/** Folders of a package that its build does not read. */
const NOT_BUILT = new Set(['node_modules', '.turbo', 'dist', 'test']);

const TASKS = {
  start: { build: true, run: ['tools/start/main.ts'] },
  dev: { build: true, compile: () => true, run: ['tools/start/main.ts', '--dev'] },
  test: { build: false, run: ['tools/checks/main.ts'] },
  cli: { build: true, run: ['tools/cli/main.ts'] },
  bench: { build: true, compile: (args) => args.includes('--profile'), run: ['bench/main.ts'] },
  torture: { build: true, run: ['test/torture/main.ts'] },
  // Without the dashboard, which may call what the client does not have yet.
  client: { build: ['--filter=@signalbox/api^...'], run: ['tools/client/main.ts'] },
  build: { build: true, run: undefined },
  lint: { build: false, run: ['tools/checks/main.ts', '--only=lint'] },
  format: { build: false, run: ['node_modules/@biomejs/biome/bin/biome', 'format', '--write'] },
  jest: {
    build: true,
    run: [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      '--min-semi-space-size=16',
      '--max-semi-space-size=32',
      'node_modules/jest/bin/jest.js',
    ],
  },
};

/** Texts of --help, which need no packages. */
const USAGE = { start: 'tools/start/usage.txt', dev: 'tools/start/usage.txt', cli: 'tools/cli/usage.txt' };

const ENV = {
  ...process.env,
  // Node 24 first: what a tool starts as `node` is then the same one.
  PATH: [dirname(NODE), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(':'),
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  DO_NOT_TRACK: '1',
};

main(process.argv[2], process.argv.slice(3));

function main(name, args) {
  const task = Object.hasOwn(TASKS, name ?? '') ? TASKS[name] : undefined;
  if (!task) fail(`Usage: node tools/bootstrap.mjs <${Object.keys(TASKS).join('|')}> [args]`);
  if (process.platform === 'win32') fail('On Windows, run this inside WSL.');
  if (Number.parseInt(process.versions.node, 10) < 20)
    fail(`Node 20 or newer is needed; this is ${process.version}.`);
  if (asksForUsage(name, args)) return console.log(readFileSync(join(ROOT, USAGE[name]), 'utf8').trimEnd());
  install();
  if (Array.isArray(task.build)) turbo('build', task.build);
  else if (task.build) build();
  if (task.compile?.(args)) turbo('compile');
  if (task.run) run(task.run, args, name);
}

/** The usage of one command of `cli` needs the packages. */
function asksForUsage(name, args) {
  if (name === 'cli' && args[0] === 'help') return args.length === 1;
  if (name === 'cli') return [undefined, '--help', '-h'].includes(args[0]);
  return Object.hasOwn(USAGE, name) && args.some((arg) => ['--help', '-h'].includes(arg));
}

/** Installs the packages of pnpm-lock.yaml unless they are installed. */
function install() {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(ROOT, file)));
  const lock = hash.digest('hex');
  if (existsSync(NODE) && readStamp('installed') === lock) return;
  console.error(
    existsSync(NODE) ? 'Installing packages…' : 'Installing packages (the first time takes a minute)…',
  );
  pnpm(['install', '--frozen-lockfile'], 'The packages could not be installed');
  writeStamp('installed', lock);
}

/** Compiles libs and bundles apps if a source changed since the last build, or an output is missing. */
function build() {
  const sources = fingerprint();
  if (readStamp('built') === `${sources}\n${outputs()}`) return;
  console.error('Building…');
  turbo('build');
  writeStamp('built', `${sources}\n${outputs()}`);
}

/** Runs a task of turbo.json: `build`, or `compile`, which makes the modules of the apps that run without a bundle. */
function turbo(task, flags = []) {
  const args = ['exec', 'turbo', 'run', task, '--ui=stream', '--output-logs=errors-only'];
  pnpm([...args, ...flags], 'The build failed');
}

/** Runs a task in our place: same terminal, same signals, same exit code. */
function run(command, args, name) {
  // The closed channel shows `start` and `dev` that this process ended, even if it was killed.
  const stdio = ['start', 'dev'].includes(name) ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit';
  const child = spawn(NODE, [...command, ...args], { cwd: ROOT, env: ENV, stdio });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event) whenOrphaned(() => child.kill('SIGTERM'));
  child.on('error', (error) => fail(error.message));
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
}

/** A killed npm cannot forward its signal: its children only get another parent. */
function whenOrphaned(act) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, 250);
}

/** Runs the pinned pnpm, which npx keeps in its cache; prints its output only when it fails. */
function pnpm(args, failure) {
  const { status, error, stdout, stderr } = spawnSync('npx', ['-y', PNPM, ...args], {
    cwd: ROOT,
    env: { ...ENV, CI: 'true', NO_COLOR: '1' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status === 0) return;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
  fail(`${failure}${error ? `: ${error.message}` : '.'}`);
}

/** Returns the folders of build outputs that exist. */
function outputs() {
  const packages = ['libs', 'apps'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => join(folder, name, 'dist')),
  );
  return packages.filter((path) => existsSync(join(ROOT, path))).join(' ');
}

/** Returns a hash that changes with every file that a build reads. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const file of BUILD_FILES) addFile(hash, join(ROOT, file));
  for (const folder of ['libs', 'apps']) {
    for (const name of readdirSync(join(ROOT, folder))) addFolder(hash, join(ROOT, folder, name));
  }
  return hash.digest('hex');
}

function addFolder(hash, folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile() && !entry.name.endsWith('.spec.ts')) addFile(hash, path);
    else if (entry.isDirectory() && !NOT_BUILT.has(entry.name)) addFolder(hash, path);
  }
}

function addFile(hash, path) {
  const { size, mtimeMs } = statSync(path);
  hash.update(`${path} ${size} ${mtimeMs}\n`);
}

function readStamp(name) {
  const path = join(STAMPS, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function writeStamp(name, text) {
  mkdirSync(STAMPS, { recursive: true });
  writeFileSync(join(STAMPS, name), text);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
