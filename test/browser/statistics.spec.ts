import { beforeAll, expect } from '@jest/globals';
import { testInBrowser } from '@signalbox/test/browser';
import { expectAccessible, expectGoodPages, shoot, startSharedDashboard } from '@signalbox/test/dashboard';
import { PAGES } from '@signalbox/test/pages';
import { waitFor } from '@signalbox/tools/servers/wait-for';

const t = await startSharedDashboard();

const LATER = new Date(Date.now() + 86_400_000).toISOString();

async function call<D>(path: string, body?: object): Promise<D> {
  const response = await fetch(`${t.p.apiUrl}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { apikey: t.p.apiKey, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as D;
}

const send = (given: object): Promise<{ id: string }> =>
  call('/v1/sms', { sender: 'SIGNALBX', text: 'Hello', type: 'TRANS', ...given });

beforeAll(async () => {
  if (!t) return;
  const to = Array.from({ length: 40 }, (_, i) => String(919800000100 + 10 * i));
  await send({ to, campaignName: 'Spring sale' });
  await send({ to: ['919800000100', '919800000101'], sender: 'OTHER' });
  await waitFor(
    async () => {
      const { data } = await call<{ data: { total: { accepted: number; delivered: number } } | null }>(
        '/v1/stats/messages',
      );
      return data?.total.accepted === 42 && data.total.delivered > 30;
    },
    // the next count comes after 40 times the time of the last one, on a slow machine after minutes
    { timeoutMs: 180_000, otherwise: 'the messages were not counted' },
  );
});
const CONFIG = { name: 'sign-up', sender: 'SIGNALBX', text: 'Your code is {{code}}.' };

testInBrowser('pending messages of a campaign are counted and cancelled', async () => {
  const { id } = await send({
    to: ['919800000301', '919800000302'],
    campaignName: 'Tomorrow',
    sendAt: LATER,
  });
  const other = await send({ to: '919800000303', campaignName: 'Stays', sendAt: LATER });
  const page = await t.open();
  await t.signIn(page, '/sends');

  await page.getByRole('textbox', { name: 'Campaign' }).fill('Tomorrow');
  await page.keyboard.press('Enter');
  await page.getByText('2 pending').first().waitFor();
  await page.getByRole('button', { name: 'Cancel what matches' }).click();
  await page.getByText('2 pending messages of 1 send match.').waitFor();
  await page.getByRole('button', { name: 'Cancel them' }).click();
  await page.getByText(/2 messages cancelled/).waitFor();
  await page.keyboard.press('Escape');

  const [row] = await t.query<{ cancelled: boolean }>(
    'SELECT cancelled_at IS NOT NULL AS cancelled FROM submission WHERE id = $1',
    [id],
  );
  expect(row).toEqual({ cancelled: true });
  await page.goto(`/app/sends/${id}`);
  await page.getByText('2 failed').waitFor();
  await page.goto(`/app/sends/${other.id}`);
  await page.getByRole('button', { name: 'Cancel pending messages' }).waitFor();
});

testInBrowser('a verification configuration is added, changed, used and looked up', async () => {
  const page = await t.open();
  await t.signIn(page, '/verification');
  await page.getByRole('link', { name: 'Add configuration' }).first().click();
  await page.getByLabel('Name').fill('login');
  await page.getByLabel('Sender of SMS').fill('SIGNALBX');
  await page.getByRole('textbox', { name: 'Text of SMS' }).fill('no place for the code');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').first().waitFor();
  await page.getByRole('textbox', { name: 'Text of SMS' }).fill('Your code is {{code}}.');
  await page.getByRole('textbox', { name: 'Valid for (seconds)' }).fill('120');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Verification', exact: true }).waitFor();
  await page.getByRole('link', { name: /login/ }).first().click();
  await page.getByRole('textbox', { name: 'Attempts' }).fill('3');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The configuration was saved.').waitFor();

  const [config] = await t.query<{ id: string }>(
    `SELECT id, ttl_seconds, max_attempts FROM verification_config WHERE name = 'login'`,
  );
  expect(config).toMatchObject({ ttl_seconds: 120, max_attempts: 3 });
  const sent = await call<{ data: string }>('/v1/verify', {
    configId: config!.id,
    to: '919800000100',
  });
  await page.goto('/app/verification');
  await page.getByRole('textbox', { name: 'Look up a verification' }).fill(sent.data);
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('heading', { name: 'One verification' }).waitFor();
  await page.getByText('919800000100').waitFor();
  await expectAccessible(page);
  await shoot(page, 'verification-one');
});

testInBrowser('Overview counts the codes of two days, and no older ones', async () => {
  const { data: config } = await call<{ data: { id: string } }>('/v1/verify/configs', {
    ...CONFIG,
    name: 'counted',
  });
  await t.query(
    `INSERT INTO verification_stat (account_id, day, config_id, country, sent, verified)
     SELECT account_id, (now() AT TIME ZONE 'UTC')::date - age, id, 'IN', 1000, 500
       FROM verification_config, unnest(ARRAY[0, 5]) AS age
      WHERE id = $1`,
    [config.id],
  );
  const page = await t.open();
  await t.signIn(page);
  await page.getByText(/ of 1,0\d\d since yesterday/).waitFor();
});

testInBrowser('the bars of Overview have one scale, whatever the length of their numbers', async () => {
  const page = await t.open();
  await page.route(/stats\/messages.*by=channel/, async (route) => {
    const answer = (await (await route.fetch()).json()) as { data: { series: { total: object }[] } };
    const [first] = answer.data.series;
    const groups = [['sms', 50_240] as const, ['chatapp', 6] as const];
    answer.data.series = groups.map(([group, accepted]) => ({
      ...first!,
      group,
      total: { ...first!.total, accepted },
    }));
    await route.fulfill({ json: answer });
  });
  await t.signIn(page);
  await page.getByText('50,240').waitFor();

  const tracks = page.getByTestId('track');
  const widths = await Promise.all([tracks.nth(0).boundingBox(), tracks.nth(1).boundingBox()]);
  expect(widths[0]!.width).toBe(widths[1]!.width);
});

testInBrowser('usage is shown by day, channel and sender, and changes with its address', async () => {
  const page = await t.open();
  await t.signIn(page, '/usage');
  await page.getByRole('img', { name: /^Credits: Credits \d+/ }).waitFor();
  await page.getByText('By channel').click();
  await page.getByRole('cell', { name: 'SMS', exact: true }).waitFor();
  await page.getByText('By sender').click();
  await page.getByRole('cell', { name: 'OTHER' }).waitFor();

  expect(new URL(page.url()).search).toBe('?by=sender');
});

testInBrowser('the pages are accessible and fit their windows', async () => {
  const { data: config } = await call<{ data: { id: string } }>('/v1/verify/configs', CONFIG);
  const code = { configId: config.id, to: '919800000100' };
  const { data: verifyId } = await call<{ data: string }>('/v1/verify', code);
  await expectGoodPages(t, {
    ...PAGES.statistics,
    [`/verification/configs/${config.id}`]: CONFIG.name,
    [`/verification/${verifyId}`]: 'One verification',
  });
});
