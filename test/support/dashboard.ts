import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from '@jest/globals';
import { createDemoLink } from '@signalbox/database/users/seed';
import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import pg from 'pg';
import { browser } from './browser.ts';
import { type Pipeline, type PipelineOptions, startPipeline } from './pipeline.ts';
import { A_QUEUE } from './queue.ts';

/** E-mail address of the user that tests sign in as: an operator, and the admin of the demo account. */
export const OWNER = 'owner@example.com';

const ROOT = join(import.meta.dirname, '../..');
const SHOTS = join(ROOT, 'test/browser/shots');
const WIDE = { width: 1440, height: 900 };
const DEADLINE_MS = 60_000;
const PLACEHOLDERS = '[aria-busy=true], .mantine-Skeleton-root[data-visible=true]';
/** Ends transitions and animations immediately: each would paint its page frame by frame. */
const WITHOUT_MOTION = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }');
  document.adoptedStyleSheets.push(sheet);
}`;
/**
 * Resolves after two frames without a transition: that of an inherited colour ends in one level of the page after the
 * other. Endless animations, as of a waiting page, do not count.
 */
const UNTIL_STILL = `(async () => {
  const isRunning = () =>
    document.getAnimations().some(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
  for (let frames = 0; frames < 2; frames = isRunning() ? 0 : frames + 1)
    await new Promise((resolve) => requestAnimationFrame(resolve));
})()`;
/** Messages of the browser about requests that a page expects to fail. */
const EXPECTED = /Failed to load resource: the server responded with a status of 4\d\d/;

/** The product with its dashboard, and a browser for it. */
export interface Dashboard extends AsyncDisposable {
  p: Pipeline;
  /** Opens an empty page with its own session; `problems` collects what goes wrong in any of them. */
  open: (options?: BrowserContextOptions) => Promise<Page>;
  /** Signs in with a sign-in link, as an operator and admin of the demo account, and opens a path of the dashboard. */
  signIn: (page: Page, path?: string) => Promise<void>;
  /** Runs a statement on the database of the product. */
  query: <Row extends object>(sql: string, values?: unknown[]) => Promise<Row[]>;
  /** Errors of the console, exceptions, violations of the content security policy, requests to other origins. */
  problems: string[];
}

/**
 * Starts the product for all tests of a file: `const t = await startSharedDashboard()`. After each test its pages are
 * closed, and the product stops after the last one. Where no browser starts, the tests are skipped, and so is this.
 */
export async function startSharedDashboard(options: Partial<PipelineOptions> = {}): Promise<Dashboard> {
  const t = (browser && (await startDashboard(options))) as Dashboard;
  afterEach(() => closePages(t));
  afterAll(async () => t?.[Symbol.asyncDispose]());
  return t;
}

async function startDashboard(options: Partial<PipelineOptions> = {}): Promise<Dashboard> {
  if (!existsSync(join(ROOT, 'apps/dashboard/dist/index.html')))
    throw new Error('The dashboard is not built: run `npm run build`.');
  await using started = new AsyncDisposableStack();
  started.defer(() => browser?.close());
  const p = started.use(
    await startPipeline({
      queue: A_QUEUE,
      workers: ['sms', 'dlr', 'otp', 'chatapp'],
      ...options,
      env: { SIMULATOR_INBOX: '1', SIMULATOR_DELAY_MS: '50', ...options.env },
    }),
  );
  const pool = new pg.Pool({ connectionString: p.databaseUrl, max: 2 });
  started.defer(() => pool.end());
  const problems: string[] = [];
  const all = started.move();
  return {
    p,
    problems,
    query: async <Row extends object>(sql: string, values?: unknown[]) =>
      (await pool.query<Row>(sql, values)).rows,
    open: (contextOptions) => openPage(p.apiUrl, problems, contextOptions),
    signIn: (page, path = '/') => signIn(page, p, path),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function openPage(url: string, problems: string[], options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser!.newContext({
    baseURL: url,
    viewport: WIDE,
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(DEADLINE_MS);
  await context.addInitScript(WITHOUT_MOTION);
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text()))
      problems.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== url)
      problems.push(`request: ${request.url()}`);
  });
  return page;
}

async function signIn(page: Page, p: Pipeline, path: string): Promise<void> {
  const token = await createDemoLink(p.databaseUrl, OWNER, 'Demo');
  await page.goto(`/app${path}#token=${token}`);
  await page.locator('nav[aria-label=Pages]').waitFor({ state: 'attached' });
}

/** Sets the first password of the signed-in user, as the profile page does. */
export function setPassword(page: Page, newPassword: string): Promise<unknown> {
  const request = { method: 'PUT', headers: { 'content-type': 'application/json' } };
  const body = JSON.stringify({ newPassword });
  return page.evaluate(`fetch('/v1/session/password', ${JSON.stringify({ ...request, body })})`);
}

/** Signs in over the page whose session has ended, and waits until the page is back. */
export async function signInAgain(page: Page, password: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByRole('textbox', { name: 'Password' }).fill(password);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/** Closes the pages of a test, which would otherwise keep working, and fails when something went wrong in one. */
async function closePages(t: Dashboard | undefined): Promise<void> {
  for (const context of browser?.contexts() ?? []) await context.close();
  expect(t?.problems.splice(0) ?? []).toEqual([]);
}

/** Messages of the browser about calls without an answer or with 503, and of React about pages that could not load. */
const OUTAGE =
  /Failed to load resource: (net::ERR_|the server responded with a status of 503)|ApiFailure: Signalbox cannot be reached|Failed to fetch dynamically imported module/;

/** Forgets what the browser said about calls that a test let fail. */
export function forgetOutage(t: Dashboard): void {
  t.problems.splice(0, Infinity, ...t.problems.filter((problem) => !OUTAGE.test(problem)));
}

/** Waits until a page has what it asked for: nothing is a placeholder, and nothing is marked as busy. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await page.locator(PLACEHOLDERS).first().waitFor({ state: 'detached' });
}

/** Runs axe in the page without the rules whose findings are minor or moderate. */
const FIND_SERIOUS = `axe.run(document, {
  resultTypes: ['violations'],
  rules: Object.fromEntries(
    axe._audit.rules
      .filter(({ impact }) => impact !== 'serious' && impact !== 'critical')
      .map(({ id }) => [id, { enabled: false }]),
  ),
})`;

/** Fails when axe finds something serious on a loaded page. */
export async function expectAccessible(page: Page): Promise<void> {
  await waitUntilLoaded(page);
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(FIND_SERIOUS)) as axe.AxeResults;
  const places = (nodes: axe.NodeResult[]): string[] =>
    nodes.map(({ html, any }) => `${html.slice(0, 200)} ${any[0]?.message ?? ''}`);
  expect(violations.map(({ id, nodes }) => [id, ...places(nodes)])).toEqual([]);
}

/** The looks in which pages are judged, the one of a new page first. */
const LOOKS = [
  ['light', 1440],
  ['dark', 390],
] as const;

/** Width of a window of 1440 px at a zoom of 200 %. */
const ZOOMED = 720;

/** Runs in the page: its controls that Tab does not reach. Of tabs and radios it reaches one of each group. */
const UNREACHABLE = `Array.from(document.querySelectorAll('a[href], button, input, select, textarea'))
  .filter((each) => each.tabIndex < 0 && each.checkVisibility({ visibilityProperty: true }) && !each.disabled)
  .filter((each) => !each.matches('[role=tab], [type=radio], [type=file], [aria-hidden=true] *, [aria-hidden=true]'))
  .map(({ outerHTML }) => outerHTML.slice(0, 200))`;

/** Runs in the page: pixels by which it is wider than its window. */
const EXCESS = 'Math.max(0, document.documentElement.scrollWidth - window.innerWidth)';

/**
 * Opens pages as links do, by path and heading, and shoots each wide and light, and narrow and dark; each page begins
 * in the look of the one before. Fails when axe finds something serious, when Tab does not reach a control, or when a
 * page is wider than its window, also at a zoom of 200 %.
 */
export async function expectGoodPages(t: Dashboard, pages: Record<string, string>): Promise<void> {
  const page = await t.open();
  await t.signIn(page);
  for (const [i, [path, heading]] of Object.entries(pages).entries()) {
    await follow(page, path);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    for (const [colorScheme, width] of i % 2 === 0 ? LOOKS : LOOKS.toReversed()) {
      await changeLook(page, colorScheme, width);
      await shoot(page, `${path.slice(1).replaceAll(/[^a-z]+/g, '-') || 'overview'}-${width}-${colorScheme}`);
      await expectAccessible(page);
      expect([path, width, await page.evaluate(EXCESS)]).toEqual([path, width, 0]);
    }
    await page.setViewportSize({ width: ZOOMED, height: WIDE.height / 2 });
    expect([path, ZOOMED, await page.evaluate(EXCESS)]).toEqual([path, ZOOMED, 0]);
    expect([path, await page.evaluate(UNREACHABLE)]).toEqual([path, []]);
  }
}

/**
 * Changes to a path of the dashboard without loading a document: axe and the dashboard, whose first run in a document
 * takes several times that of the next, stay.
 */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`(async () => {
    const router = globalThis.__TSR_ROUTER__;
    router.history.push(${JSON.stringify(`/app${path}`)});
    const isThere = () =>
      router.state.status === 'idle' && router.state.resolvedLocation.href === router.latestLocation.href;
    do await new Promise((resolve) => requestAnimationFrame(resolve));
    while (!isThere());
  })()`);
}

/** Changes the look of an open page without loading it again, and waits until the page has it. */
async function changeLook(page: Page, colorScheme: 'light' | 'dark', width: number): Promise<void> {
  await page.setViewportSize({ width, height: WIDE.height });
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
  await page.evaluate(UNTIL_STILL);
}

/**
 * Waits until a page is loaded. With `SHOTS=1` it also writes a screenshot of the whole page to test/browser/shots, for
 * people to look at.
 */
export async function shoot(page: Page, name: string): Promise<void> {
  await waitUntilLoaded(page);
  if (process.env['SHOTS'] !== '1') return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true, animations: 'disabled' });
}
