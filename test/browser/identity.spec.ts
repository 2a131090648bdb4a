import { afterAll, afterEach, expect } from '@jest/globals';
import { createUser } from '@signalbox/database/users/seed';
import { browser, testInBrowser } from '@signalbox/test/browser';
import {
  type Dashboard,
  expectGoodPages,
  expectNoProblems,
  shoot,
  startDashboard,
} from '@signalbox/test/dashboard';
import { waitFor } from '@signalbox/tools/servers/wait-for';

const t = (browser && (await startDashboard())) as Dashboard;

afterAll(async () => t?.[Symbol.asyncDispose]());
afterEach(() => expectNoProblems(t));

const statusOf = async (apikey: string): Promise<number> =>
  (await fetch(`${t.p.apiUrl}/v1/me`, { headers: { apikey } })).status;

testInBrowser('a key is created, used and revoked', async () => {
  const page = await t.open({ viewport: { width: 1440, height: 900 } });
  await t.signIn(page, '/api-keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('From the page');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const key = (await page.getByText(/^sb_live_[A-Za-z0-9_-]{43}/).textContent()) ?? '';
  expect(await statusOf(key)).toBe(200);
  await shoot(page, 'api-keys');

  await page.getByRole('button', { name: 'Revoke' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();

  await waitFor(async () => (await statusOf(key)) === 401, { otherwise: 'the revoked key still works' });
});

testInBrowser(
  'the pages about users are accessible, and a viewer has none of them but the profile',
  async () => {
    await expectGoodPages(t, {
      '/api-keys': 'API keys',
      '/users': 'Users',
      '/audit': 'Audit',
      '/profile': 'My profile',
    });
    const page = await t.open();
    await t.signIn(page, '/users');
    const { accountName } = (
      (await (await page.request.get('/v1/me')).json()) as { data: { accountName: string } }
    ).data;
    const user = {
      email: 'viewer@shop.example',
      name: 'Vera',
      role: 'viewer',
      account: accountName,
    } as const;
    const token = await createUser(t.p.databaseUrl, user);

    const viewer = await t.open({ viewport: { width: 390, height: 900 } });
    await viewer.goto(`/app/#token=${token}`);
    await viewer.getByRole('heading', { name: 'Overview' }).waitFor();
    await viewer.goto('/app/profile');
    await viewer.getByRole('heading', { name: 'My profile' }).waitFor();
    await shoot(viewer, 'my-profile-390');
    expect(await viewer.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  },
);
