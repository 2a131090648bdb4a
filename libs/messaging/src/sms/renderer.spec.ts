import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { reclaim } from '@signalbox/database/submissions/reclaim';
import { type SmsContent, fanOut } from '@signalbox/database/submissions/submissions';
import { FAN_OUT_CHUNK, LEASE_SECONDS } from '@signalbox/domain/limits';
import { createLogger } from '@signalbox/runtime/logger';
import { accept, openRows } from '@signalbox/test/rows';
import { fromChunk, fromReclaimed } from './claimed-sms.ts';
import { SmsRenderer } from './renderer.ts';

const CONTENT: SmsContent = {
  pieces: ['Hello ', { value: 1 }, ', see ', { link: 1 }, ' or ', { link: 2 }, ' by ', { value: 2 }],
  links: { base: 'https://s.example/s/', targets: ['https://example.com/a', 'https://example.com/b'] },
  unicode: false,
  flash: false,
};

test('each recipient gets a text with its own values and links, in every chunk', async () => {
  await using t = await setup();
  const count = FAN_OUT_CHUNK + 3;
  const { id, accountId } = await accept(t.db, {
    content: CONTENT,
    recipients: Array.from({ length: count }, (_, i) => String(919800000000 + i)),
    custom: Array.from({ length: count }, (_, i) => [`name ${i}`, `day ${i}`]),
    creditsEach: Array.from({ length: count }, (_, i) => (i % 9) + 1),
  });

  const messages = [...(await t.fanOut(id)), ...(await t.fanOut(id))];

  expect(messages.map(({ messageId }) => messageId)).toEqual(
    Array.from({ length: count }, (_, i) => `${id}:${i + 1}`),
  );
  messages.forEach(({ text }, i) =>
    expect(text).toMatch(
      new RegExp(
        `^Hello name ${i}, see https://s.example/s/[0-9A-Za-z]{12} or https://s.example/s/[0-9A-Za-z]{12} by day ${i}$`,
      ),
    ),
  );
  const links = await t.links();
  expect(new Set(links.map(({ code }) => code)).size).toBe(count * 2);
  expect(links).toContainEqual({
    code: codesIn(messages.at(-1)?.text)[1],
    account_id: accountId,
    submission_id: id,
    n: count,
    link: 2,
  });
  const credits = await t.db.query('SELECT credits FROM message ORDER BY n');
  expect(credits).toEqual(Array.from({ length: count }, (_, i) => ({ credits: (i % 9) + 1 })));
});

test('a message that is claimed again has the same text and links', async () => {
  await using t = await setup();
  const { id } = await accept(t.db, {
    content: CONTENT,
    recipients: ['919800000001', '919800000002'],
    custom: [
      ['Ann', 'May'],
      ['{{2}}', '{{shortUrl}}'],
    ],
  });
  const first = await t.fanOut(id);
  const links = await t.links();

  await t.db.query('UPDATE message SET claimed_until = now()');
  const { messages } = await reclaim(t.db, [id], LEASE_SECONDS);
  const again = await t.renderer.render(messages.map(fromReclaimed));

  expect(again.toSorted((a, b) => (a.messageId < b.messageId ? -1 : 1))).toEqual(
    first.map((message) => ({ ...message, attempt: 2 })),
  );
  expect(await t.links()).toEqual(links);
  expect(first[1]?.text).toMatch(/^Hello \{\{2\}\}, see .* by \{\{shortUrl\}\}$/);
});

test('a link that occurs twice in a text is one link', async () => {
  await using t = await setup();
  const { id } = await accept(t.db, { content: { ...CONTENT, pieces: [{ link: 1 }, ' ', { link: 1 }] } });

  const [message] = await t.fanOut(id);

  expect(await t.links()).toHaveLength(1);
  expect(new Set(codesIn(message?.text)).size).toBe(1);
});

test('the characters of each message decide its encoding', async () => {
  await using t = await setup();
  const content: SmsContent = { pieces: ['Hello ', { value: 1 }], unicode: false, flash: true };
  const { id } = await accept(t.db, {
    content,
    recipients: ['919800000001', '919800000002'],
    custom: [['Ann'], ['नमस्ते']],
  });
  const plain = await accept(t.db, { content: { text: 'Hello', unicode: true, flash: false } });

  expect(await t.fanOut(id)).toMatchObject([
    { encoding: 'GSM-7', messageClass: 0 },
    { encoding: 'UCS-2', messageClass: 0 },
  ]);
  expect(await t.fanOut(plain.id)).toMatchObject([{ encoding: 'UCS-2', messageClass: null }]);
});

function codesIn(text = ''): string[] {
  return Array.from(text.matchAll(/\/s\/(\w{12})/g), ([, code]) => code ?? '');
}

async function setup() {
  const rows = await openRows();
  const renderer = new SmsRenderer(
    rows.db,
    [randomBytes(32).toString('base64')],
    90,
    createLogger('test', 'silent'),
  );
  return {
    ...rows,
    renderer,
    fanOut: async (id: string) =>
      renderer.render((await fanOut(rows.db, [id], LEASE_SECONDS)).map(fromChunk)),
    links: (): Promise<{ code: string }[]> =>
      rows.db.query(
        'SELECT code, account_id, submission_id, n, link FROM short_link ORDER BY submission_id, n, link',
      ),
  };
}
