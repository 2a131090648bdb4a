import type { BrowserContext, CDPSession } from 'playwright-core';
import { waitUntilLoaded } from './dashboard.ts';

/** Slowdown of the processor, as of a phone of the middle class. */
const THROTTLE = 4;

/** Figures of one load with an empty cache. */
export interface FirstLoad {
  /** Bytes of script on the wire, and calls of the API, until the shell reacts. */
  scriptBytes: number;
  calls: number;
  /** Bytes of script with those of the first chart, which are loaded once the page is idle. */
  allScriptBytes: number;
  firstPaintMs: number;
  /** Milliseconds until the menu of the person opens on a click that is repeated until it does. */
  interactiveMs: number;
  /** Milliseconds until the end of the last task of more than 50 ms. */
  quietMs: number;
  /** Milliseconds of scripts, and of all work of the page, with the slowdown. */
  scriptMs: number;
  taskMs: number;
}

/** Runs in the page before its scripts: clicks the menu of the person in each frame until it is open. */
const WATCH = `
  globalThis.longEndMs = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) longEndMs = startTime + duration;
  }).observe({ type: 'longtask', buffered: true });
  globalThis.interactive = new Promise((resolve) => {
    const tryIt = () => {
      const button = document.querySelector('button[aria-label="Your menu"]');
      if (button?.getAttribute('aria-expanded') === 'true') return resolve(performance.now());
      button?.click();
      requestAnimationFrame(tryIt);
    };
    document.addEventListener('DOMContentLoaded', tryIt);
  });`;

const FIRST_PAINT = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`;

/**
 * Loads the dashboard in a signed-in context with an empty cache and a slow processor. The times mean something on a
 * quiet machine only.
 */
export async function measureFirstLoad(context: BrowserContext, url: string): Promise<FirstLoad> {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  const transferred = await watchTransfers(cdp);
  await cdp.send('Performance.enable');
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: THROTTLE });
  await page.addInitScript(WATCH);
  await page.goto(url);
  const interactiveMs = Number(await page.evaluate('interactive'));
  const before = { ...transferred };
  await waitUntilLoaded(page);
  await page.locator('[role=img] > svg').first().waitFor();
  const metrics = await readMetrics(cdp);
  const figures = {
    ...before,
    allScriptBytes: transferred.scriptBytes,
    firstPaintMs: Number(await page.evaluate(FIRST_PAINT)),
    interactiveMs,
    quietMs: Number(await page.evaluate('longEndMs')),
    scriptMs: 1_000 * metrics['ScriptDuration']!,
    taskMs: 1_000 * metrics['TaskDuration']!,
  };
  await page.close();
  return figures;
}

/** Counts the bytes of scripts, and the calls of the API, while they arrive. */
async function watchTransfers(cdp: CDPSession): Promise<{ scriptBytes: number; calls: number }> {
  const counted = { scriptBytes: 0, calls: 0 };
  const scripts = new Set<string>();
  cdp.on('Network.requestWillBeSent', ({ request, requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
    if (new URL(request.url).pathname.startsWith('/v1/')) counted.calls += 1;
  });
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) counted.scriptBytes += encodedDataLength;
  });
  await cdp.send('Network.enable');
  return counted;
}

async function readMetrics(cdp: CDPSession): Promise<Record<string, number>> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** Returns the median of each figure, rounded. */
export function mediansOf(loads: readonly FirstLoad[]): [name: string, value: number][] {
  const names = new Set(loads.flatMap((load) => Object.keys(load) as (keyof FirstLoad)[]));
  return [...names].map((name) => {
    const values = loads.map((load) => load[name]).toSorted((a, b) => a - b);
    return [name, Math.round(values[Math.floor(values.length / 2)] ?? 0)];
  });
}
