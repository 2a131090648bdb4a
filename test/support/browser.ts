import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { test } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';

const ROOT = join(import.meta.dirname, '../..');

/** The shell without windows: a whole browser has three processes for each page, and takes twice its CPU. */
const SHELL = '/usr/bin/chromium-headless-shell';

/** A packed shell: an optional dependency, since it is large and for Linux on x64 only. */
const PACKAGE = join(ROOT, 'test/node_modules/@sparticuz/chromium');

/** Browsers of Debian and of other distributions. */
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * The shell comes without the driver that would render in software: its process for graphics ended at each start, and
 * after several ends the browser ends, too.
 */
const WITHOUT_GRAPHICS = ['--disable-gpu', '--disable-software-rasterizer'];

/** Compiling the scripts of a page costs more than interpreting them: most pages live for a second. */
const WITHOUT_COMPILERS = '--js-flags=--no-opt,--no-maglev,--no-sparkplug';

/** All pages share a process, which has parsed the scripts of the dashboard already. */
const ONE_PROCESS = '--process-per-site';

const ARGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--force-color-profile=srgb',
  WITHOUT_COMPILERS,
  ONE_PROCESS,
  ...WITHOUT_GRAPHICS,
];

/**
 * Starts the installed shell, else that of the package @sparticuz/chromium, else an installed browser. Where none
 * starts, it prints the reasons and returns undefined.
 */
async function openBrowser(): Promise<Browser | undefined> {
  const reasons: string[] = [];
  for (const find of [() => findInstalled([SHELL]), unpackShell, () => findInstalled(BROWSERS)]) {
    try {
      return await chromium.launch({ executablePath: find(), args: ARGS });
    } catch (error) {
      reasons.push((error as Error).message.split('\n', 1)[0]!);
    }
  }
  const reason = `no browser starts (${reasons.join('; ')})`;
  console.log(`The tests of the dashboard are skipped: ${reason}. On Debian: apt-get install chromium`);
  return undefined;
}

function findInstalled(paths: readonly string[]): string {
  return paths.find((path) => existsSync(path)) ?? notInstalled(paths[0]!);
}

function notInstalled(path: string): never {
  throw new Error(`${path} is not installed`);
}

/** Unpacks the shell once for all runs. It is made aside and renamed, so that a half of it is never started. */
function unpackShell(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  const path = join(ROOT, `node_modules/.signalbox/chromium-${version}/headless-shell`);
  if (existsSync(path)) return path;
  const aside = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(aside, brotliDecompressSync(readFileSync(join(PACKAGE, 'bin/chromium.br'))), { mode: 0o755 });
  renameSync(aside, path);
  return path;
}

/** The browser of a test file, undefined where none starts. */
export const browser = await openBrowser();

/** `test`, skipped where no browser starts. */
export const testInBrowser = browser ? test : test.skip;
