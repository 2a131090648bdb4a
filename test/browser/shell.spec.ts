import { afterAll, afterEach } from '@jest/globals';
import { browser, testInBrowser } from '@signalbox/test/browser';
import {
  type Dashboard,
  expectAccessible,
  expectNoProblems,
  shoot,
  startDashboard,
} from '@signalbox/test/dashboard';

const t = (browser && (await startDashboard())) as Dashboard;

afterAll(async () => t?.[Symbol.asyncDispose]());
afterEach(() => expectNoProblems(t));

testInBrowser.each([
  ['light', 1440],
  ['dark', 1440],
  ['light', 390],
  ['dark', 390],
] as const)('sign-in and Overview are accessible in %s at %i px', async (colorScheme, width) => {
  const page = await t.open({ colorScheme, viewport: { width, height: 900 } });
  await page.goto('/app/');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await shoot(page, `sign-in-${width}-${colorScheme}`);
  await expectAccessible(page);

  await t.signIn(page);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await shoot(page, `overview-${width}-${colorScheme}`);
  await expectAccessible(page);
});
