import { expect } from '@jest/globals';
import type { Locator, Page, Request } from 'playwright-core';
import { type Dashboard, follow, forgetOutage, shoot } from './dashboard.ts';

/** State of the server, as the browser meets it. */
type Server = 'up' | 'unreachable' | 503;

/** A switch between a page and the server, and the time of the page. */
export interface Switch {
  turn: (to: Server) => void;
  /** Lets time pass until a place has a state: the retries of a failed call take seconds. */
  passUntil: (place: Locator, state: 'visible' | 'detached') => Promise<void>;
}

const REFUSAL = {
  code: 'unavailable',
  message: 'The service is temporarily unavailable.',
  details: [],
  retryable: true,
};

/** More than the time between two reads of a page, each of which counts some until it asks for the heartbeat. */
const STEP_MS = 6_000;
const MAX_STEPS = 100;

/** Frames in which calls may end before the next step; the browser does not report the end of each. */
const MAX_FRAMES = 30;

/** Runs in the page: resolves when it has drawn. */
const FRAME = 'new Promise((resolve) => requestAnimationFrame(resolve))';

/** Puts a switch between a page and the server, and gives the page a clock that the test moves. */
export async function putSwitch(page: Page): Promise<Switch> {
  let state: Server = 'up';
  await page.clock.install();
  const isAtRest = watchCalls(page);
  await page.context().route('**/*', (route) => {
    if (state === 'unreachable') return route.abort();
    const isCall = new URL(route.request().url()).pathname.startsWith('/v1/');
    return state === 503 && isCall
      ? route.fulfill({ status: 503, json: { error: REFUSAL } })
      : route.continue();
  });
  return {
    turn: (to) => {
      state = to;
    },
    passUntil: async (place, wanted) => {
      for (let steps = 0; steps < MAX_STEPS; steps += 1) {
        await page.clock.fastForward(STEP_MS);
        for (let frames = 0; frames < MAX_FRAMES && !(await isAtRest()); frames += 1);
        if (wanted === 'visible' ? await place.isVisible() : (await place.count()) === 0) return;
      }
      await place.waitFor({ state: wanted, timeout: 1 });
    },
  };
}

/** Watches the calls of a page. @returns a function that is true once all have ended and the page has drawn */
function watchCalls(page: Page): () => Promise<boolean> {
  const open = new Set<Request>();
  page.on('request', (request) => {
    if (request.resourceType() !== 'eventsource') open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  page.on('framenavigated', () => open.clear());
  return () =>
    page.evaluate(FRAME).then(
      () => open.size === 0,
      () => false, // the page loads its document again, as for a module that it could not load
    );
}

/** The bar that says that answers are old, or that there are none. */
export const barOf = (page: Page): Locator =>
  page.getByRole('main').getByRole('status').filter({ hasText: 'The page tries again by itself.' });

const LAPTOP = { width: 1280, height: 800 };

/** Words of places that have read that there is nothing. */
const EMPTY = /^(No|Nothing|Nobody) |is well|no one/i;

/** The bar three minutes after the last response, and at most the time later that may pass until it is drawn. */
const OLD = /^What you see is (?:[3-9]|1[0-3]) minutes old: the server returns 503\./;

/**
 * Opens pages by path and heading while the server cannot be reached, lets it come back, and lets it return 503 for
 * minutes. Fails when a page does not say so, is empty meanwhile, loses something, or does not recover by itself; and
 * when a laptop shows only some columns of a list.
 */
export async function expectRecovery(t: Dashboard, pages: Record<string, string>): Promise<void> {
  const page = await t.open({ viewport: LAPTOP });
  const { turn, passUntil } = await putSwitch(page);
  await t.signIn(page, '/nowhere');
  const main = page.getByRole('main');
  const bar = barOf(page);
  const placeholders = page.locator('[aria-busy=true], .mantine-Skeleton-root[data-visible=true]');

  for (const [path, heading] of Object.entries(pages)) {
    turn('unreachable');
    await follow(page, path);
    await passUntil(bar, 'visible');
    await passUntil(placeholders, 'detached');
    const titles = await main.getByRole('heading').allInnerTexts();
    expect([path, titles.filter((title) => EMPTY.test(title))]).toEqual([path, []]);
    expect([path, titles.length > 0]).toEqual([path, true]);

    turn('up');
    await passUntil(bar, 'detached');
    await passUntil(main.getByRole('heading', { name: heading, level: 1 }), 'visible');
    await passUntil(placeholders, 'detached');
    expect([path, await main.getByRole('button', { name: 'Try again' }).count()]).toEqual([path, 0]);
    expect([path, await countCutLists(page)]).toEqual([path, 0]);
    const before = await shapeOf(page);

    turn(503);
    await page.clock.fastForward(180_000);
    await passUntil(bar.getByText(OLD), 'visible');
    await shoot(page, `outage-${path.slice(1).replaceAll(/[^a-z]+/g, '-') || 'overview'}`);
    expect([path, lostOf(before, await shapeOf(page))]).toEqual([path, []]);

    turn('up');
    await passUntil(bar, 'detached');
  }
  forgetOutage(t);
}

/** The headings, rows and fields of a page. */
interface Shape {
  headings: string[];
  rows: number;
  fields: number;
}

async function shapeOf(page: Page): Promise<Shape> {
  const main = page.getByRole('main');
  return {
    headings: await main.getByRole('heading').allInnerTexts(),
    rows: await main.getByRole('row').count(),
    fields: await main.getByRole('textbox').count(),
  };
}

/** Names what a page has lost. */
function lostOf(before: Shape, after: Shape): string[] {
  const headings = before.headings.filter((heading) => !after.headings.includes(heading));
  const counts = (['rows', 'fields'] as const).filter((kind) => after[kind] < before[kind]);
  return [...headings, ...counts];
}

/** Counts the lists that are wider than their frame, so that a laptop shows only some of their columns. */
function countCutLists(page: Page): Promise<number> {
  return page
    .getByRole('main')
    .getByRole('table')
    .evaluateAll(
      (lists) => lists.filter((list) => list.scrollWidth > (list.parentElement?.clientWidth ?? 0)).length,
    );
}
