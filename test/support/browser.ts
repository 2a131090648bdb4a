import { existsSync } from 'node:fs';
import { test } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium, and those of other distributions. */
const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const ARGS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--force-color-profile=srgb'];

/**
 * Starts a Chromium: the installed one, else the one of the package @sparticuz/chromium. Where neither starts, it prints
 * the reasons and returns undefined.
 */
async function openBrowser(): Promise<Browser | undefined> {
  const reasons: string[] = [];
  for (const launch of [launchInstalled, launchPackaged]) {
    try {
      return await launch();
    } catch (error) {
      reasons.push((error as Error).message.split('\n', 1)[0]!);
    }
  }
  const reason = `no browser starts (${reasons.join('; ')})`;
  console.log(`The tests of the dashboard are skipped: ${reason}. On Debian: apt-get install chromium`);
  return undefined;
}

async function launchInstalled(): Promise<Browser> {
  const executablePath = INSTALLED.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('no chromium is installed');
  return chromium.launch({ executablePath, args: ARGS });
}

/** The package is for Linux on x64; elsewhere it is missing or does not start. */
async function launchPackaged(): Promise<Browser> {
  const { default: packaged } = await import('@sparticuz/chromium');
  return chromium.launch({
    executablePath: await packaged.executablePath(),
    args: [...packaged.args, ...ARGS],
  });
}

/** The browser of a test file, undefined where none starts. */
export const browser = await openBrowser();

/** `test`, skipped where no browser starts. */
export const testInBrowser = browser ? test : test.skip;
