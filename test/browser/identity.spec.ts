import { afterAll, expect } from '@jest/globals';
import { createAccount } from '@signalbox/database/accounts/seed';
import { createUser } from '@signalbox/database/users/seed';
import type { Role } from '@signalbox/domain/role';
import { browser, testInBrowser } from '@signalbox/test/browser';
import {
  expectAccessible,
  expectGoodPages,
  follow,
  setPassword,
  shoot,
  signInAgain,
  startSharedDashboard,
} from '@signalbox/test/dashboard';
import { PAGES } from '@signalbox/test/pages';
import { type IdentityProviderUnderTest, startIdentityProvider } from '@signalbox/test/identity-provider';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';

const PASSWORD = 'a meadow of tall clover';

const provider = (browser && (await startIdentityProvider())) as IdentityProviderUnderTest;
const t = await startSharedDashboard({ env: { ...provider?.env, OIDC_NAME: 'the peer' } });

afterAll(async () => {
  await provider?.[Symbol.asyncDispose]();
});

/** Signs a new user of the demo account in by a link. */
async function enter(page: Page, role: Role, path = '/'): Promise<string> {
  const email = `${role}-${crypto.randomUUID()}@shop.example`;
  const token = await createUser(t.p.databaseUrl, { email, name: `The ${role}`, role, account: 'Demo' });
  await page.goto(`/app${path}#token=${token}`);
  await page.locator('nav[aria-label=Pages]').waitFor({ state: 'attached' });
  return email;
}

/** Gives a user a role in another account, without an end of the session. */
async function addTo(account: string, email: string, role: Role): Promise<void> {
  await t.query(
    `INSERT INTO user_account (account_id, user_id, role)
     SELECT a.id, u.id, $3 FROM account a, app_user u WHERE a.name = $1 AND u.email = $2`,
    [account, email, role],
  );
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Your menu' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Signalbox' }).waitFor();
}

async function signInWith(page: Page, email: string, code: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

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
  await page.getByText(`export SIGNALBOX_API_KEY=${key}`).waitFor();
  await shoot(page, 'api-keys');
  await expectAccessible(page);
  await closeSecret(page);

  await page.getByRole('button', { name: 'Revoke' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();

  await waitFor(async () => (await statusOf(key)) === 401, { otherwise: 'the revoked key still works' });
});

/** Closes the dialog of a secret, which stays until its button is pressed. */
async function closeSecret(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.mouse.click(4, 4);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('dialog', { name: /^New API key|^Sign-in link/ }).waitFor({ state: 'hidden' });
}

testInBrowser('a rotated key is shown over a long list, also where the browser cannot copy it', async () => {
  const page = await t.open();
  // as on a page without TLS
  await page.addInitScript('delete Navigator.prototype.clipboard');
  await t.signIn(page);
  for (let i = 0; i < 30; i += 1) await t.p.post('/v1/api-keys', { name: `Key ${i}`, scopes: ['send'] });
  await follow(page, '/api-keys');
  await page.getByRole('button', { name: 'Rotate' }).last().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();

  const key = page.getByText(/^sb_live_[A-Za-z0-9_-]{43}/);
  await key.waitFor();
  const { y, height } = (await key.boundingBox())!;
  expect(y > 0 && y + height < 900).toBe(true);
  await page.getByRole('button', { name: 'Copy API key' }).click();
  await page.getByText('The browser copies only on pages with https.').waitFor();
  await shoot(page, 'api-key-rotated');
  await closeSecret(page);
});

testInBrowser('nobody changes the role that they have', async () => {
  const page = await t.open();
  await enter(page, 'admin', '/users');
  await page.getByRole('row').filter({ hasText: 'You' }).waitFor();
  const own = page.getByRole('row').filter({ has: page.getByText('You', { exact: true }) });

  expect(await own.getByRole('combobox').count()).toBe(0);
  await own.getByText('Admin', { exact: true }).waitFor();
});

testInBrowser('a page asks for its user when another one signs in', async () => {
  const page = await t.open();
  await enter(page, 'admin', '/sms-templates/new');
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('half typed');
  const other = await page.context().newPage();
  await enter(other, 'viewer');

  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);

  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByText('Another user has signed in in this browser.').waitFor();
  expect(await name.inputValue()).toBe('half typed');
  expect(await other.getByRole('dialog').count()).toBe(0);
});

testInBrowser(
  'the pages about users are accessible, and a viewer has none of them but the profile',
  async () => {
    await expectGoodPages(t, PAGES.identity);
    const viewer = await t.open({ viewport: { width: 390, height: 900 } });
    await enter(viewer, 'viewer', '/profile');
    await viewer.getByRole('heading', { name: 'My profile' }).waitFor();
    await shoot(viewer, 'my-profile-390');
    for (const name of ['API keys', 'Send'])
      expect(await viewer.getByRole('link', { name, exact: true }).count()).toBe(0);
  },
);

testInBrowser(
  'a user adds a second factor, and signs in with its codes and each recovery code once',
  async () => {
    const page = await t.open();
    const email = await enter(page, 'editor', '/profile');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByLabel('Current password').waitFor();
    const card = page.getByRole('region', { name: 'Second factor' });
    await card.getByLabel('Your password').fill('another password');
    await card.getByRole('button', { name: 'Add second factor' }).click();
    await card.locator('[aria-invalid=true]:focus').and(card.getByLabel('Your password')).waitFor();
    await card.getByLabel('Your password').fill(PASSWORD);
    await card.getByRole('button', { name: 'Add second factor' }).click();
    await card.getByRole('button', { name: 'Confirm' }).waitFor();
    const totp = new TOTP({ secret: Secret.fromBase32((await card.locator('pre').textContent()) ?? '') });
    await card.getByRole('textbox', { name: 'Code' }).fill(totp.generate());
    await card.getByRole('button', { name: 'Confirm' }).click();
    await card.getByText('10 recovery codes are left').waitFor();
    const [recovery = ''] = ((await card.locator('pre').textContent()) ?? '').split('\n');
    await shoot(page, 'second-factor');

    // the next code is accepted already, so that each has at least half a minute, and none is used twice
    const next = totp.generate({ timestamp: Date.now() + 30_000 });
    for (const code of [next, recovery]) {
      await signOut(page);
      await signInWith(page, email, code);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    }
    await signOut(page);
    await signInWith(page, email, recovery);
    await page
      .getByRole('alert')
      .getByText('The code of the second factor is wrong or was used before')
      .waitFor();

    const sessions = await t.query(
      `SELECT 1 FROM user_session WHERE user_id = (SELECT id FROM app_user WHERE email = $1)`,
      [email],
    );
    expect(sessions).toEqual([]);
  },
);

testInBrowser('an invitation is a link to send, whose words say for how long it works', async () => {
  const page = await t.open();
  await t.signIn(page, '/users');
  await page.getByRole('button', { name: 'Invite user' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail address').fill('vic@shop.example');
  await dialog.getByLabel('Name').fill('Vic');
  await dialog.getByRole('button', { name: 'Invite user' }).click();
  await page.getByText('Send it to Vic: it works once, for 48 hours. Signalbox sends no e-mail.').waitFor();
  await shoot(page, 'invitation');
  await closeSecret(page);
});

testInBrowser('a user of two accounts changes between them', async () => {
  await createAccount(t.p.databaseUrl, 'Second account');
  const page = await t.open();
  const email = await enter(page, 'editor');
  await addTo('Second account', email, 'viewer');
  await page.reload();

  const loaded = page.waitForEvent('load');
  await page.getByRole('combobox', { name: 'Account' }).click();
  await page.getByRole('option', { name: 'Second account' }).click();
  await loaded;

  await waitFor(
    async () => {
      const [row] = await t.query<{ name: string }>(
        `SELECT a.name FROM user_session JOIN account a ON a.id = account_id
          WHERE user_id = (SELECT id FROM app_user WHERE email = $1)`,
        [email],
      );
      return row?.name === 'Second account';
    },
    { otherwise: 'the session stays in the first account' },
  );
  await page.goto('/app/messages');
  await page.getByRole('heading', { name: 'Messages', exact: true }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Account' }).inputValue()).toBe('Second account');
});

testInBrowser('a user whose account is suspended sees why, and changes to another', async () => {
  await createAccount(t.p.databaseUrl, 'Suspended account');
  const page = await t.open();
  await addTo('Suspended account', await enter(page, 'editor'), 'editor');
  await page.reload();
  const change = async (from: string, to: string): Promise<void> => {
    const account = page.getByRole('combobox', { name: 'Account' });
    expect(await account.inputValue()).toBe(from);
    const loaded = page.waitForEvent('load');
    await account.click();
    await page.getByRole('option', { name: to, exact: true }).click();
    await loaded;
  };
  await change('Demo', 'Suspended account');
  await t.query(`UPDATE account SET status = 'suspended' WHERE name = 'Suspended account'`);

  await page.goto('/app/messages');
  await page.getByText('The account is suspended.').first().waitFor();
  await shoot(page, 'suspended-account');
  await change('Suspended account', 'Demo');

  await page.goto('/app/messages');
  await page.getByRole('heading', { name: 'Messages', exact: true }).waitFor();
  expect(await page.getByText('The account is suspended.').count()).toBe(0);
});

testInBrowser('a page continues in its account after a sign-in in place or in another tab', async () => {
  await createAccount(t.p.databaseUrl, 'Third account');
  const page = await t.open();
  const email = await enter(page, 'admin');
  await addTo('Third account', email, 'admin');
  await setPassword(page, PASSWORD);
  const endSession = () =>
    t.query('DELETE FROM user_session WHERE user_id = (SELECT id FROM app_user WHERE email = $1)', [email]);
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const save = async (name: string) => {
    await field('Name').fill(name);
    // another call may find the session ended first, and its dialog would keep a mouse from the button
    await page.getByRole('button', { name: 'Save', exact: true }).dispatchEvent('click');
  };
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await page.reload();
  const loaded = page.waitForEvent('load');
  await page.getByRole('combobox', { name: 'Account' }).click();
  await page.getByRole('option', { name: 'Third account' }).click();
  await loaded;
  await follow(page, '/sms-templates/new');
  await field('Text').fill('We received your payment.');
  await field('Sender').fill('SHOP');

  await endSession();
  await save('receipt');
  await dialog.waitFor();
  await shoot(page, 'sign-in-again');
  await expectAccessible(page);
  await signInAgain(page, PASSWORD);
  await save('receipt');
  await page.getByRole('heading', { name: 'receipt', level: 1 }).waitFor();
  const [owner] = await t.query<{ name: string }>(
    `SELECT a.name FROM sms_template st JOIN account a ON a.id = st.account_id WHERE st.name = 'receipt'`,
  );
  expect(owner).toEqual({ name: 'Third account' });

  await endSession();
  await follow(page, '/sends');
  await dialog.waitFor();
  const other = await page.context().newPage();
  await other.goto('/app/');
  await other.getByLabel('E-mail').fill(email);
  await other.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.getByRole('combobox', { name: 'Account' }).click();
  await page.bringToFront();
  expect(await dialog.isVisible()).toBe(true);
  const switched = other.waitForEvent('load');
  await other.getByRole('option', { name: 'Third account' }).click();
  await switched;
  await page.evaluate(`window.dispatchEvent(new Event('focus'))`);
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('heading', { name: 'Sends', level: 1 }).waitFor();
});

testInBrowser(
  'a viewer sees masked numbers and no way to write, and only an operator sees operations',
  async () => {
    await t.p.post('/v1/sms', {
      sender: 'SHOP',
      to: '919876543210',
      text: 'Call 919876543211',
      type: 'TRANS',
    });
    await t.p.post('/v1/opt-outs', { recipient: '919876543219' });
    const refused = { sender: 'SHOP', to: ['919876543219', '919876543218'], text: 'Hello', type: 'TRANS' };
    const { id } = (await t.p.post('/v1/sms', refused)).body;
    const page = await t.open();
    await enter(page, 'viewer', '/messages');
    await page.getByRole('link', { name: '********3210' }).click();
    await page.getByText('Call ********3211').first().waitFor();
    expect(await page.content()).not.toMatch(/91987654321/);
    for (const [path, heading, write] of [
      ['/webhooks', 'DLR Push Configuration', 'Add Configuration'],
      ['/templates', 'Templates', 'New template'],
    ] as const) {
      await follow(page, path);
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
      expect(await page.getByText(write).count()).toBe(0);
    }
    await follow(page, '/templates/new?from=1');
    await page.getByText('Your role does not allow this').waitFor();
    for (const path of ['/users', '/api-keys', '/audit', '/queues', '/gateways', '/accounts']) {
      await follow(page, path);
      await page.getByText('You may not see this').first().waitFor();
      await page.getByText('The role "viewer" does not allow this.').first().waitFor();
    }
    await shoot(page, 'forbidden');
    await follow(page, `/messages/${String(id)}:1`);
    await page.getByText('the recipient has opted out').first().waitFor();
    expect(await page.getByRole('link', { name: 'See the opt-out' }).count()).toBe(0);

    for (const [role, count] of [
      ['admin', 0],
      ['operator', 1],
    ] as const) {
      const other = await t.open();
      await enter(other, role);
      await other.getByRole('link', { name: 'Messages', exact: true }).waitFor();
      expect(await other.getByRole('link', { name: 'Queues', exact: true }).count()).toBe(count);
    }
  },
);

testInBrowser('a user signs in through the identity provider, or reads why not', async () => {
  provider.openFor(t.p.apiUrl);
  const email = 'ines@shop.example';
  const page = await t.open();
  const button = page.getByRole('link', { name: 'Sign in with the peer' });
  provider.users.set('ines', { email, email_verified: true });
  provider.visitor = 'ines';
  await page.goto('/app/messages');
  await button.click();
  await page.getByText('There is no user with your e-mail address').waitFor();
  await shoot(page, 'sign-in');
  await expectAccessible(page);
  await createUser(t.p.databaseUrl, { email, name: 'Ines', role: 'editor', account: 'Demo' });

  await page.goto('/app/messages');
  await button.click();

  await page.getByRole('heading', { name: 'Messages', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/app/messages');
  await signOut(page);
  expect(
    await t.query(`SELECT 1 FROM user_session JOIN app_user u ON u.id = user_id WHERE email = $1`, [email]),
  ).toEqual([]);
  const isOfPeer = (problem: string): boolean =>
    problem.startsWith(`request: ${provider.env['OIDC_ISSUER']}/`);
  t.problems.splice(0, Infinity, ...t.problems.filter((problem) => !isOfPeer(problem)));
});
