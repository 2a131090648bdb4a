import { expect } from '@jest/globals';
import { testInBrowser } from '@signalbox/test/browser';
import {
  expectAccessible,
  expectGoodPages,
  follow,
  shoot,
  startSharedDashboard,
} from '@signalbox/test/dashboard';
import { PAGES } from '@signalbox/test/pages';
import { MEDIA_FILES } from '@signalbox/test/media-samples';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Locator, Page } from 'playwright-core';

const t = await startSharedDashboard();

/** A field to fill: the group that it is in, if any, its label, and the value. */
type Field = [group: string | null, label: string, value: string];

interface Case {
  category: string;
  types: string[];
  fields: Field[];
  file?: { name: string; mimeType: string; buffer: Buffer };
}

const body = (text: string): Field => [null, 'Body text', text];
const example = (n: number, value: string): Field => [null, `Example of {{${n}}}`, value];
const HEADER: Field = [null, 'Header text', 'News for you'];
const FOOTER: Field = [null, 'Footer text', 'Thank you'];
const link = (n: number): Field[] => [
  [`${n}. Open an address`, 'Label', 'Open'],
  [`${n}. Open an address`, 'Address', 'https://example.com/offers'],
];
const code = (): Case => ({ category: 'AUTHENTICATION', types: ['BODY', 'BUTTONS'], fields: [] });

/** Fields to fill for each kind of template, and what the database holds then. */
const KINDS: Record<string, Case> = {
  copy_code: code(),
  autofill: code(),
  zero_tap: code(),
  marketing_simple: { category: 'MARKETING', types: ['BODY'], fields: [body('Our summer sale has begun.')] },
  marketing_media: {
    category: 'MARKETING',
    types: ['HEADER', 'BODY', 'BUTTONS'],
    fields: [body('See what came in this week.'), ...link(1)],
    file: { name: 'hat.png', mimeType: 'image/png', buffer: MEDIA_FILES.png },
  },
  marketing_text: {
    category: 'MARKETING',
    types: ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'],
    fields: [
      HEADER,
      body('Hi {{1}}, use the code {{2}} for your next order.'),
      example(1, 'Asha'),
      example(2, 'SUN25'),
      FOOTER,
      ['1. Call a number', 'Label', 'Call us'],
      ['1. Call a number', 'Number with country code', '919800000001'],
      ...link(2),
    ],
  },
  catalog: {
    category: 'MARKETING',
    types: ['HEADER', 'BODY', 'BUTTONS'],
    fields: [HEADER, body('See all that came in.'), ['1. Open the catalog', 'Label', 'See the catalog']],
  },
  carousel: {
    category: 'MARKETING',
    types: ['BODY', 'CAROUSEL'],
    fields: [
      body('Here are our picks for you.'),
      ...['Card 1', 'Card 2'].flatMap((card): Field[] => [
        [card, 'Address of the image', 'https://example.com/hat.jpg'],
        [card, 'Text', 'A straw hat'],
        [card, 'Label', 'See it'],
        [card, 'Address', 'https://example.com/hat'],
      ]),
    ],
  },
  flow: {
    category: 'UTILITY',
    types: ['HEADER', 'BODY', 'BUTTONS'],
    fields: [
      HEADER,
      body('Please choose a time for your visit.'),
      ['1. Open a form', 'Label', 'Choose a time'],
      ['1. Open a form', 'Id of the form', '1234567890'],
    ],
  },
  utility_simple: { category: 'UTILITY', types: ['BODY'], fields: [body('Your order has left our house.')] },
  utility_media: {
    category: 'UTILITY',
    types: ['HEADER', 'BODY', 'BUTTONS'],
    fields: [body('Your invoice is attached.'), ...link(1)],
    file: { name: 'invoice.pdf', mimeType: 'application/pdf', buffer: MEDIA_FILES.pdf },
  },
  order_details: {
    category: 'UTILITY',
    types: ['HEADER', 'BODY', 'BUTTONS'],
    fields: [HEADER, body('Your order is ready.'), ['1. Review and pay', 'Label', 'Review and pay']],
  },
};

async function fill(page: Page, [group, label, value]: Field): Promise<void> {
  const place: Page | Locator = group === null ? page : page.getByRole('group', { name: group, exact: true });
  await place.getByRole('textbox', { name: label, exact: true }).first().fill(value);
}

/** Creates a template by the page; returns its id. */
async function create(page: Page, kind: string, name: string): Promise<string> {
  await follow(page, `/templates/new?kind=${kind}`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor();
  expect(await page.getByText('missing or wrong').count()).toBe(0);
  await fill(page, [null, 'Name', name]);
  const { fields, file } = KINDS[kind]!;
  for (const field of fields) await fill(page, field);
  if (file) {
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('The file is stored.').waitFor();
  }
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  return new URL(page.url()).pathname.split('/').at(-1)!;
}

testInBrowser(
  'each of the twelve kinds is created by the page',
  async () => {
    const page = await t.open();
    await t.signIn(page, '/templates');
    for (const [kind, { category, types }] of Object.entries(KINDS)) {
      const id = await create(page, kind, `made_${kind}`);
      const [row] = await t.query<{ category: string; types: string[]; status: string }>(
        `SELECT t.category, t.status, ARRAY(SELECT jsonb_array_elements(tv.components) ->> 'type') AS types
           FROM template t JOIN template_version tv ON tv.template_id = t.id WHERE t.id = $1`,
        [id],
      );
      expect({ kind, ...row }).toEqual({ kind, category, status: 'PENDING', types });
    }
    await follow(page, '/templates');
    await page.getByText('made_copy_code').waitFor();
    await shoot(page, 'templates-1440-light');
  },
  600_000,
);

/** Creates a template by clicks alone, with a look at its preview; returns its id. */
async function createByClicks(page: Page, name: string, text: string): Promise<string> {
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: 'Templates', exact: true })
    .click();
  await page.getByRole('link', { name: 'New template' }).first().click();
  await page.getByRole('link', { name: /^Update in words/ }).click();
  await fill(page, [null, 'Name', name]);
  await fill(page, body(text));
  await page.getByText(text).nth(1).waitFor();
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  return new URL(page.url()).pathname.split('/').at(-1)!;
}

testInBrowser('a template is rejected, edited, approved, sent, and answered on the phone', async () => {
  const page = await t.open();
  await t.signIn(page);
  const id = await createByClicks(page, 'journey', 'Your order has left our house.');

  await page.getByRole('button', { name: 'Reject' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reject journey?' });
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Name the shop.');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await page.getByText('The reviewer rejected it').waitFor();
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await fill(page, body('Your order has left the shop.'));
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  const events = await t.query<{ event: string; reason: string | null }>(
    `SELECT event, reason FROM template_event WHERE template_id = $1 ORDER BY id`,
    [id],
  );
  expect(events.map(({ event }) => event)).toEqual(['created', 'rejected', 'edited', 'approved']);
  expect(events[1]?.reason).toBe('Name the shop.');
  await page.getByText('Your order has left our house.').first().waitFor();
  await expectAccessible(page);
  await shoot(page, 'template-1440-light');

  const phone = '919800000100';
  await page.getByRole('link', { name: 'Send with it' }).click();
  await page.getByRole('textbox', { name: 'To' }).fill(phone);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('button', { name: 'Send 1' }).click();
  await page.getByRole('heading', { name: `Message to ${phone}` }).waitFor();
  await page.getByRole('link', { name: 'journey' }).click();
  await page.getByRole('row', { name: 'journey' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Open the phone' }).click();
  await page.getByRole('log').getByText('Your order has left the shop.').waitFor();
  await page.getByRole('textbox', { name: 'Reply' }).fill('Thank you');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('button', { name: 'YES' }).click();
  await page.getByRole('button', { name: 'STOP' }).click();
  await page.getByRole('log').getByText('STOP').waitFor();
  await waitFor(async () => (await writtenBy(phone)).length === 3, { otherwise: 'the phone wrote nothing' });
  expect((await writtenBy(phone)).toSorted()).toEqual(['STOP', 'Thank you', 'YES']);
  expect(await t.query('SELECT sender, source FROM opt_out WHERE recipient = $1', [phone])).toEqual([
    { sender: '15550100001', source: 'inbound' },
  ]);
  await shoot(page, 'phone-1440-light');

  await follow(page, '/inbox');
  const conversation = page.getByRole('link', { name: phone });
  await conversation.getByText('Said STOP').waitFor();
  expect(await conversation.getByText('Waiting').count()).toBe(0);
  await conversation.click();
  await page.getByText(/The 24-hour window is open/).waitFor();
  await page.getByRole('log').getByText('Thank you').waitFor();
  await shoot(page, 'inbox-1440-light');
});

async function writtenBy(phone: string): Promise<string[]> {
  const rows = await t.query<{ text: string }>(
    `SELECT content -> 'text' ->> 'body' AS text FROM inbound_message WHERE sender = $1`,
    [phone],
  );
  return rows.map(({ text }) => text);
}

/** Creates an approved template by the API; returns its id. */
async function approve(name: string, language: string, chatAccountId: number): Promise<string> {
  const components = [
    { type: 'BODY', text: `In ${language}: your order {{1}} is ready.`, example: { body_text: [['A1']] } },
  ];
  const template = { name, language, chatAccountId, category: 'UTILITY', components };
  const { body: created } = await t.p.post('/v1/chatapp/createChatTemplate', template);
  const id = String(created['id']);
  const { body: reviewed } = await t.p.post('/v1/chatapp/reviewChatTemplate', { id, decision: 'approve' });
  expect(reviewed).toMatchObject({ error: null });
  return id;
}

testInBrowser('a refused template leads to the field that was refused, while its check is out', async () => {
  const page = await t.open();
  const isCheck = (url: URL): boolean => url.search === '?dryRun=true';
  const checked = page.waitForResponse((response) => isCheck(new URL(response.url())));
  await t.signIn(page, '/templates/new?kind=utility_simple');
  await checked;
  await page.route(isCheck, () => undefined); // the answer to the empty draft stays the last one
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  const text = page.getByRole('textbox', { name: 'Body text' });
  await name.fill('ordre_été');
  await text.fill('Your order has left our house.');
  await page.getByRole('button', { name: 'Submit for review' }).click();

  const found = page.locator('[aria-invalid=true]:focus');
  await found.waitFor();
  expect(await found.getAttribute('id')).toBe(await name.getAttribute('id'));
  expect(await text.getAttribute('aria-invalid')).not.toBe('true');
});

testInBrowser('a template is sent in its language, from a number of its chat account', async () => {
  const { body: created } = await t.p.post('/v1/chat-accounts', { name: 'Second shop' });
  const { id: second } = created['data'] as { id: number };
  const hindi = { id: await approve('order_update', 'hi', 100_001), label: 'order_update · hi' };
  await approve('order_update', 'en', 100_001);
  const other = { id: await approve('of_second', 'en', second), label: 'of_second · en' };
  const page = await t.open();
  await t.signIn(page);
  const sendWith = async (id: string) => {
    await follow(page, `/templates/${id}`);
    await page.getByRole('link', { name: 'Send with it' }).click();
  };
  await sendWith(other.id);
  await page.getByText('The template of_second cannot be sent').waitFor();
  await shoot(page, 'send-template-without-number');
  await t.p.post(`/v1/chat-accounts/${second}/senders`, { msisdn: '15550100002' });
  await page.reload();

  const from: string[] = [];
  for (const { id, label } of [hindi, other]) {
    await sendWith(id);
    await page.getByRole('textbox', { name: 'Value {{1}}' }).fill('A7');
    expect(await page.getByRole('combobox', { name: 'Template' }).inputValue()).toBe(label);
    from.push(await page.getByRole('combobox', { name: 'From' }).inputValue());
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  }
  expect(from).toEqual(['15550100001 · Demo', '15550100002 · Second shop']);
});

/** Runs in the page: true where the end of a conversation is in view, and the top of the page. */
const IS_AT_END = `(() => {
  const { scrollTop, clientHeight, scrollHeight } = document.querySelector('[role=log]');
  return scrollHeight > clientHeight && scrollTop + clientHeight > scrollHeight - 2 && scrollY === 0;
})()`;

testInBrowser('a conversation far down the list opens next to its row, which stays in view', async () => {
  const people = Array.from({ length: 20 }, (_, i) => String(919800000800 + i));
  for (const from of people)
    await t.p.post('/v1/simulator/inbound', {
      channel: 'chatapp',
      from,
      to: '15550100001',
      type: 'text',
      text: { body: 'Hi' },
    });
  await waitFor(async () => (await writtenBy(people.at(-1)!)).length === 1, { otherwise: 'nobody wrote' });
  const page = await t.open();
  await t.signIn(page, '/inbox');
  const row = page.getByRole('link', { name: people[0]! });
  await row.click();
  await page.getByRole('log').getByText('Hi').waitFor();

  const places = [row, page.getByRole('region', { name: `Phone: ${people[0]}` })];
  for (const place of places) {
    const { y, height } = (await place.boundingBox())!;
    expect([y >= 0, y + height <= 900]).toEqual([true, true]);
  }
});

testInBrowser('a long conversation opens at its last message, and the page at its top', async () => {
  const [from, to] = ['919800000777', '15550100001'];
  for (let i = 0; i < 20; i += 1)
    await t.p.post('/v1/simulator/inbound', {
      channel: 'chatapp',
      from,
      to,
      type: 'text',
      text: { body: 'Hi' },
    });
  await waitFor(async () => (await writtenBy(from)).length === 20, { otherwise: 'the phone wrote nothing' });
  const answer = { recipient_type: 'individual', type: 'text', text: { body: 'Goodbye' } };
  await t.p.post('/v1/chatapp', { from: to, to: from, ...answer });
  const page = await t.open({ colorScheme: 'dark' });
  await t.signIn(page, '/chat-accounts');
  for (const path of [`/inbox?with=${to}:${from}`, `/phone?number=${from}`]) {
    await follow(page, path);
    await page.getByRole('log').getByText('Goodbye').waitFor();
    const isAtEnd = async () => (await page.evaluate(IS_AT_END)) === true;
    await waitFor(isAtEnd, { otherwise: `${path} does not show the last message` });
    await expectAccessible(page);
  }
});

testInBrowser('the pages are accessible and fit their windows', async () => {
  const [template] = await t.query<{ id: string }>(`SELECT id FROM template WHERE name = 'journey'`);
  await expectGoodPages(t, {
    ...PAGES.templates,
    '/templates/new?kind=carousel': 'New template',
    [`/templates/${template!.id}`]: 'journey',
    [`/templates/${template!.id}/edit`]: 'Edit journey',
  });
});
