import { afterAll, afterEach, expect } from '@jest/globals';
import { browser, testInBrowser } from '@signalbox/test/browser';
import { type Dashboard, closePages, startDashboard } from '@signalbox/test/dashboard';
import type { Page } from 'playwright-core';

const t = (browser && (await startDashboard())) as Dashboard;

afterAll(async () => t?.[Symbol.asyncDispose]());
afterEach(() => closePages(t));

const ROWS = 3_000;
const FIRST = 919_820_000_000;

/** Adds opt-outs; the list shows the last first. */
async function addOptOuts(): Promise<void> {
  for (let at = 0; at < ROWS; at += 1_000) {
    const recipients = Array.from({ length: 1_000 }, (_, i) => String(FIRST + at + i));
    await t.p.post('/v1/opt-outs', { recipients, source: 'support' });
  }
}

/** Runs in the page: scrolls down as pages arrive, until the end of the list is in view. */
const SCROLL_DOWN = `(async () => {
  const end = () => document.documentElement.scrollHeight - window.innerHeight;
  const isWhole = () => document.body.innerText.includes('${ROWS.toLocaleString('en')} in all');
  for (let still = 0; still < 9; still = isWhole() && window.scrollY >= end() - 1 ? still + 1 : 0) {
    window.scrollTo(0, end());
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
})()`;

/** Runs in the page: scrolls up, waits for each place to be read, and returns all numbers that were shown. */
const SCROLL_UP = `(async () => {
  const seen = new Set();
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  for (;;) {
    do for (let i = 0; i < 3; i += 1) await frame();
    while (document.querySelector('[role=rowgroup] [aria-busy=true]'));
    for (const row of document.querySelectorAll('[role=row] > :first-child')) seen.add(row.textContent);
    if (window.scrollY === 0) return [...seen].filter((text) => text.startsWith('9198'));
    window.scrollBy(0, -1200);
  }
})()`;

/** The numbers in view and near it, in order. */
const shownNumbers = async (page: Page): Promise<string[]> =>
  page.locator('[role=row] >> text=/^9198/').allInnerTexts();

testInBrowser(
  'a list keeps ten pages, reads the others again, and loses no row on the way',
  async () => {
    await addOptOuts();
    const page = await t.open();
    const reads: string[] = [];
    page.on('response', (response) => {
      const { pathname, search } = new URL(response.url());
      if (pathname === '/v1/opt-outs') reads.push(search);
    });
    await t.signIn(page, '/opt-outs');
    await page.getByRole('row').nth(1).waitFor();
    const top = await shownNumbers(page);

    await page.evaluate(SCROLL_DOWN);
    const down = reads.length;
    expect(down).toBeGreaterThan(10);

    const seen = (await page.evaluate(SCROLL_UP)) as string[];
    expect(seen.length).toBe(ROWS);
    expect(reads.length - down).toBe(down - 10);

    await page.evaluate(SCROLL_DOWN);
    await page.keyboard.press('Home');
    await page.getByRole('link', { name: top[0]! }).or(page.getByText(top[0]!)).first().waitFor();
    expect((await shownNumbers(page)).slice(0, 5)).toEqual(top.slice(0, 5));
  },
  300_000,
);
