import { expect } from '@jest/globals';
import { testInBrowser } from '@signalbox/test/browser';
import { startSharedDashboard, waitUntilLoaded } from '@signalbox/test/dashboard';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Locator, Page } from 'playwright-core';

const t = await startSharedDashboard();

/** Twelve pages, in calls of 800. */
const ROWS = 2_400;
const ROWS_OF_CALL = 800;
const FIRST = 919_820_000_000;

/** Adds opt-outs; the list shows the last first. */
async function addOptOuts(): Promise<void> {
  for (let at = 0; at < ROWS; at += ROWS_OF_CALL) {
    const recipients = Array.from({ length: ROWS_OF_CALL }, (_, i) => String(FIRST + at + i));
    const { body } = await t.p.post('/v1/opt-outs', { recipients, source: 'support' });
    expect(body).toMatchObject({ error: null });
  }
}

/** Three loops fit into the time of their test. */
const MAX_LOOP_SECONDS = 180;

/** So that few steps lead through the list: a slow machine draws few frames a second. */
const TALL = { width: 1280, height: 2_400 };

/**
 * Runs in the page: a loop, and what it needs. A loop that takes minutes ends with the state of the page; seconds in which
 * the browser does not run do not count.
 */
const looping = (loop: string): string => `new Promise((resolve, reject) => {
  const end = () => document.documentElement.scrollHeight - window.innerHeight;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const busy = () => document.querySelectorAll('[role=rowgroup] [aria-busy=true]').length;
  const state = () =>
    'at ' + window.scrollY + ' of ' + end() + ' px, ' + busy() + ' busy rows, the last text is ' +
    JSON.stringify(document.body.innerText.slice(-200));
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += 1;
    if (seconds >= ${MAX_LOOP_SECONDS}) reject(new Error('The loop did not end: ' + state()));
  }, 1000);
  (${loop})().then(resolve, reject).finally(() => clearInterval(timer));
})`;

/** Runs in the page: scrolls down as pages arrive, until the end of the list is in view. */
const SCROLL_DOWN = looping(`async () => {
  const isWhole = () => document.body.innerText.includes('${ROWS.toLocaleString('en')} in all');
  for (let still = 0; still < 9; still = isWhole() && window.scrollY >= end() - 1 ? still + 1 : 0) {
    window.scrollTo(0, end());
    await frame();
  }
}`);

/** Runs in the page: scrolls up, waits for each place to be read, and returns all numbers that were shown. */
const SCROLL_UP = looping(`async () => {
  const seen = new Set();
  for (;;) {
    do for (let i = 0; i < 3; i += 1) await frame();
    while (busy() > 0);
    for (const row of document.querySelectorAll('[role=row] > :first-child')) seen.add(row.textContent);
    if (window.scrollY === 0) return [...seen].filter((text) => text.startsWith('9198'));
    window.scrollBy(0, -window.innerHeight);
  }
}`);

/** The numbers in view and near it, in order. */
const shownNumbers = async (page: Page): Promise<string[]> =>
  page.locator('[role=row] >> text=/^9198/').allInnerTexts();

/** Waits for the button that repeats a failed read. It is in view. */
async function retryInView(page: Page): Promise<Locator> {
  const retry = page.getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  const { y, height } = (await retry.boundingBox())!;
  expect(y).toBeGreaterThan(0);
  expect(y + height).toBeLessThan(page.viewportSize()!.height);
  return retry;
}

const FAILURE = { code: 'internal', message: 'The request failed.', details: [], retryable: false };

/** Lets reads fail. @returns a function that lets them succeed again */
async function failReads(page: Page, reads: string | RegExp): Promise<() => Promise<void>> {
  await page.route(reads, (route) => route.fulfill({ status: 500, json: { error: FAILURE } }));
  return () => page.unroute(reads);
}

/** Expects that the browser noted no problem but failed reads. */
function expectOnlyFailedReads(): void {
  const problems = t.problems.splice(0);
  expect(problems).toEqual(problems.map(() => expect.stringContaining('status of 500')));
}

/**
 * Repeats a failed read until there are more rows. The list may have been read again by itself meanwhile: then it is
 * asked for more again.
 */
async function readOn(buttons: Locator[], rows: Locator, shown: number): Promise<void> {
  const hasMore = async (): Promise<boolean> => {
    for (const button of buttons)
      if (await button.isEnabled({ timeout: 50 }).catch(() => false))
        await button.click({ timeout: 1_000 }).catch(() => undefined); // it may be gone by now
    return (await rows.count()) > shown;
  };
  await waitFor(hasMore, { otherwise: 'the list got no further rows' });
}

/** Adds inbound messages of as many people, unless they are there. */
async function addConversations(count: number): Promise<void> {
  const senders = Array.from({ length: count }, (_, i) => String(919_830_000_001 + i));
  await addInbound('many', senders);
}

/** Adds an inbound message of each of these senders, unless it is there. */
async function addInbound(name: string, senders: string[]): Promise<void> {
  await t.query(
    `INSERT INTO inbound_message (id, account_id, gateway, gateway_message_id, sender, recipient, kind, content, sent_at)
     SELECT uuidv7(), a.id, 'simulator', $1 || '-' || given.i, given.sender, '15550100001', 'text',
            '{"text": {"body": "Hello"}}', now()
       FROM account a, unnest($2::text[]) WITH ORDINALITY AS given (sender, i)
      WHERE a.name = 'Demo'
     ON CONFLICT DO NOTHING`,
    [name, senders],
  );
}

testInBrowser('a list with a button keeps ten pages, and a reply that is being written', async () => {
  await addConversations(11 * 30);
  const page = await t.open();
  await t.signIn(page, '/inbox');
  const conversations = page.getByRole('region', { name: 'Inbox' }).getByRole('link');
  const reply = page.getByRole('textbox', { name: 'Reply' });
  await conversations.first().click();
  await reply.fill('We are looking into it.');
  const first = await conversations.first().innerText();
  const more = page.getByRole('button', { name: 'Show more' });
  for (let pages = 2; pages <= 10; pages += 1) {
    await more.click();
    await conversations.nth(30 * pages - 1).waitFor();
  }
  await more.click();

  await page.getByRole('button', { name: 'Show previous' }).waitFor();
  expect(await conversations.count()).toBe(300);
  expect(await conversations.allInnerTexts()).not.toContain(first);
  expect(await reply.inputValue()).toBe('We are looking into it.');

  await page.getByRole('button', { name: 'Show previous' }).click();
  await page.getByRole('button', { name: 'Show previous' }).waitFor({ state: 'hidden' });
  expect(await conversations.count()).toBe(300);
  await more.waitFor();
});

testInBrowser('a list asked for more while it is read again shows the next page', async () => {
  await addConversations(31);
  const page = await t.open();
  await t.signIn(page, '/inbox');
  await page.getByRole('button', { name: 'Show more' }).waitFor();
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await page.route('**/conversations?*', async (route) => {
    begun.resolve();
    await held.promise;
    await route.continue();
  });
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  await begun.promise;

  const conversations = page.getByRole('region', { name: 'Inbox' }).getByRole('link');
  await conversations.first().click();
  await page.getByRole('textbox', { name: 'Reply' }).waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  held.resolve();

  await conversations.nth(30).waitFor();
});

testInBrowser(
  'a list keeps ten pages, reads the others again, and loses no row on the way',
  async () => {
    await addOptOuts();
    const page = await t.open({ viewport: TALL });
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
  600_000,
);

testInBrowser('a list of more than ten pages is where it was left when a person comes back', async () => {
  await addOptOuts();
  const page = await t.open({ viewport: TALL });
  await t.signIn(page, '/opt-outs');
  await page.getByRole('row').nth(1).waitFor();
  await page.evaluate(SCROLL_DOWN);
  await waitUntilLoaded(page);
  const left = await page.evaluate('window.scrollY');
  const last = (await shownNumbers(page)).at(-1)!;

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 20 });
  await page.goBack();

  await page.getByRole('row', { name: last }).waitFor();
  await waitUntilLoaded(page);
  expect(await page.evaluate('window.scrollY')).toBe(left);
});

testInBrowser('a list says in view that an earlier page could not be read', async () => {
  await addOptOuts();
  const page = await t.open({ viewport: TALL });
  await t.signIn(page, '/opt-outs');
  await page.getByRole('row').nth(1).waitFor();
  await page.evaluate(SCROLL_DOWN);
  const error = { code: 'rate_limited', message: 'Try again in 5 s.', details: [], retryable: true };
  await page.route('**/opt-outs?*', (route) => route.fulfill({ status: 429, json: { error } }));

  await page.evaluate('window.scrollTo(0, 10_000)');
  const retry = await retryInView(page);
  expect(await shownNumbers(page)).toEqual([]);

  await page.unroute('**/opt-outs?*');
  await retry.click();
  await page.locator('[role=rowgroup] [aria-busy=true]').first().waitFor({ state: 'detached' });
  expect((await shownNumbers(page)).length).toBeGreaterThan(50);
});

testInBrowser('the inbox says in view that a page of a list could not be read', async () => {
  const talker = '919840000001';
  await addConversations(31);
  await addInbound('talker', Array(31).fill(talker));
  const page = await t.open({ viewport: { width: 1280, height: 800 } });
  await t.signIn(page, `/inbox?with=15550100001:${talker}`);
  const lists = [
    {
      button: 'Show more',
      reads: /\/conversations\?/,
      rows: page.getByRole('region', { name: 'Inbox' }).getByRole('link'),
    },
    {
      button: 'Show older messages',
      reads: /\/conversations\/\d+\/\d+\?/,
      rows: page.getByRole('log').getByText('Hello'),
    },
  ];
  for (const { button, reads, rows } of lists) {
    const more = page.getByRole('button', { name: button });
    await more.waitFor();
    const shown = await rows.count();
    // any read, because the list is also read again by itself, which would end the failure
    const endFailure = await failReads(page, reads);

    await more.click();
    await page.getByText(FAILURE.message).waitFor();
    await page.evaluate('window.scrollTo(0, 0)');
    const retry = await retryInView(page);
    expect(await rows.count()).toBe(shown);

    await endFailure();
    await readOn([retry, more], rows, shown);
    await retry.waitFor({ state: 'detached' });
  }
  expectOnlyFailedReads();
});

testInBrowser('a conversation that the list does not show yet can be answered', async () => {
  const talker = '919840000003';
  await addInbound('early', [talker]);
  await addInbound(
    'after it',
    Array.from({ length: 31 }, (_, i) => String(919_840_000_100 + i)),
  );
  const page = await t.open();
  await t.signIn(page, `/inbox?with=15550100001:${talker}`);

  await page.getByRole('textbox', { name: 'Reply' }).waitFor();
  expect(await page.getByRole('region', { name: 'Inbox' }).innerText()).not.toContain(talker);
});

testInBrowser('the button of older messages keeps its height in a long conversation', async () => {
  const talker = '919840000002';
  await addInbound('long', Array(31).fill(talker));
  const page = await t.open();
  await t.signIn(page, `/inbox?with=15550100001:${talker}`);

  const older = page.getByRole('button', { name: 'Show older messages' });
  await older.waitFor();
  expect((await older.boundingBox())!.height).toBeGreaterThan(20);
});

testInBrowser('the review queue says in view that a further page could not be read', async () => {
  for (let i = 0; i < 21; i += 1)
    await t.p.post('/v1/chatapp/createChatTemplate', {
      name: `waits_${i}`,
      category: 'UTILITY',
      language: 'en',
      chatAccountId: 100_001,
      components: [{ type: 'BODY', text: 'Your order has left our house.' }],
    });
  const page = await t.open({ viewport: { width: 1280, height: 800 } });
  await t.signIn(page, '/templates/review');
  const templates = page.getByRole('article');
  const more = page.getByRole('button', { name: 'Show more' });
  await more.waitFor();
  const endFailure = await failReads(page, '**/chatTemplateList?*');

  await more.click();
  const retry = await retryInView(page);
  expect(await templates.count()).toBe(20);

  await endFailure();
  await readOn([retry, more], templates, 20);
  expectOnlyFailedReads();
});

testInBrowser('the choice of a template says that some or all could not be read', async () => {
  await t.query(
    `INSERT INTO sms_template (id, account_id, name, text)
     SELECT uuidv7(), a.id, 'receipt ' || i, 'Thank you'
       FROM account a, generate_series(1, 201) AS i
      WHERE a.name = 'Demo'`,
  );
  const page = await t.open({ viewport: { width: 1280, height: 800 } });
  const reads = '**/sms/templates?*';
  const choice = page.getByRole('combobox', { name: 'Template' });
  const templates = page.getByRole('option', { name: /^receipt/, includeHidden: true });
  const retryAfter = async (endFailure: () => Promise<void>) => {
    const button = await retryInView(page);
    await endFailure();
    await button.click();
    await button.waitFor({ state: 'detached' });
  };

  const endFirst = await failReads(page, reads);
  await t.signIn(page, '/send');
  await retryAfter(endFirst);
  const endSecond = await failReads(page, reads);
  await choice.click();
  await retryInView(page);
  expect(await templates.count()).toBe(200);

  await retryAfter(endSecond);
  await choice.click();
  await waitFor(async () => (await templates.count()) === 201, {
    otherwise: 'the choice got no further rows',
  });
  expectOnlyFailedReads();
});

testInBrowser('a list is live at its start, also in a tall window and after it was scrolled', async () => {
  const sms = { sender: 'SIGNALBX', to: '919800000100', text: 'Hello', type: 'PROMO' };
  for (let i = 0; i < 95; i += 1) await t.p.send('/v1/sms', { ...sms, campaignName: `first ${i}` });
  const page = await t.open({ viewport: TALL });
  await t.signIn(page, '/sends');
  const row = (reference: string): Locator => page.getByRole('row').filter({ hasText: reference });
  await row('first 94').waitFor();
  await row('first 40').waitFor(); // of the second page

  await t.p.send('/v1/sms', { ...sms, campaignName: 'while at the start' });
  await row('while at the start').waitFor();

  await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
  await row('first 0').waitFor();
  await t.p.send('/v1/sms', { ...sms, campaignName: 'while scrolled' });
  await page.evaluate('window.scrollTo(0, 0)');
  await row('while scrolled').waitFor();
});
