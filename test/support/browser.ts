import { existsSync } from 'node:fs';
import { test } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium, and those of other distributions. The shell without windows takes a third less CPU. */
const INSTALLED = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

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

/** Part of @sparticuz/chromium that is used here. */
interface PackagedChromium {
  default: { args: string[]; executablePath: () => Promise<string> };
}

/** An optional dependency: it is for Linux on x64, and large, so that an installation may be without it. */
const PACKAGE = '@sparticuz/chromium';

async function launchPackaged(): Promise<Browser> {
  const { default: packaged } = (await import(PACKAGE)) as PackagedChromium;
  return chromium.launch({
    executablePath: await packaged.executablePath(),
    args: [...packaged.args, ...ARGS],
  });
}

/** The browser of a test file, undefined where none starts. */
export const browser = await openBrowser();

/** `test`, skipped where no browser starts. */
export const testInBrowser = browser ? test : test.skip;
