import { expect, test } from '@jest/globals';
import { accept, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { listMessages } from './list.ts';
import {
  addUpClicks,
  MAX_CLICKS,
  deleteExpiredLinks,
  findShortLinks,
  insertClicks,
  insertShortLinks,
  listClicks,
  type NewClick,
} from './short-links.ts';

const AT = new Date('2026-11-20T10:00:00Z');

test('a link leads where its submission says, until it expires, and is then forgotten', async () => {
  await using rows = await openRows();
  const { link } = await setup(rows.db);

  expect(await findShortLinks(rows.db, [link.code, 'x'])).toEqual([
    { ...link, target: 'https://example.com/b' },
  ]);

  await deleteExpiredLinks(rows.db);
  await rows.db.query(`UPDATE short_link SET expires_at = now() - interval '1 second'`);
  expect(await findShortLinks(rows.db, [link.code])).toEqual([]);
  expect(await rows.db.query('SELECT code FROM short_link')).toHaveLength(1);
  await deleteExpiredLinks(rows.db);
  expect(await rows.db.query('SELECT code FROM short_link')).toEqual([]);
});

test('a link that is stored twice stays as it was', async () => {
  await using rows = await openRows();
  const { link } = await setup(rows.db);
  const before = await rows.db.query('SELECT * FROM short_link');

  await insertShortLinks(rows.db, [link], 300);

  expect(await rows.db.query('SELECT * FROM short_link')).toEqual(before);
});

test('clicks count once, whether they are added up or not, by who made them', async () => {
  await using rows = await openRows();
  const { click, key } = await setup(rows.db);
  const person = (seconds: number): NewClick => ({
    ...click,
    clickedAt: new Date(AT.getTime() + seconds * 1_000),
  });
  await insertClicks(rows.db, [person(0), person(5), { ...click, kind: 'bot' }]);
  const sum = (clicks: number, lastSecond: number) => [
    {
      link: 2,
      target: 'https://example.com/b',
      kind: 'person',
      clicks,
      firstAt: AT,
      lastAt: new Date(AT.getTime() + lastSecond * 1_000),
    },
    { link: 2, target: 'https://example.com/b', kind: 'bot', clicks: 1, firstAt: AT, lastAt: AT },
  ];
  const listed = async () =>
    (await listClicks(rows.db, click.accountId, key)).toSorted((a, b) => b.kind.localeCompare(a.kind));
  expect(await listed()).toEqual(sum(2, 5));

  expect(await Promise.all([addUpClicks(rows.db), addUpClicks(rows.db)])).toContain(3);
  expect(await listed()).toEqual(sum(2, 5));

  await insertClicks(rows.db, [person(9)]);
  expect(await listed()).toEqual(sum(3, 9));
  expect(await addUpClicks(rows.db)).toBe(1);
  expect(await addUpClicks(rows.db)).toBe(0);
  expect(await listed()).toEqual(sum(3, 9));
  expect(await listClicks(rows.db, key.submissionId, key)).toEqual([]);
});

test('a link that was followed as often as is counted does not stop the count of others', async () => {
  await using rows = await openRows();
  const [full, other] = [await setup(rows.db), await setup(rows.db, 'ghijklGHIJKL')];
  await insertClicks(rows.db, [full.click]);
  await addUpClicks(rows.db);
  await rows.db.query(`UPDATE short_link_total SET clicks = $1`, [MAX_CLICKS]);
  const countsOf = async ({ click, key }: typeof full) =>
    (await listClicks(rows.db, click.accountId, key)).map(({ clicks }) => clicks);

  await insertClicks(rows.db, [full.click, other.click]);

  expect([await countsOf(full), await countsOf(other)]).toEqual([[MAX_CLICKS], [1]]);
  expect(await addUpClicks(rows.db)).toBe(2);
  await insertClicks(rows.db, [full.click]);
  expect([await countsOf(full), await countsOf(other)]).toEqual([[MAX_CLICKS], [1]]);
  const { messages } = await listMessages(rows.db, full.click.accountId, {}, 1);
  expect(messages).toMatchObject([{ clicks: MAX_CLICKS }]);
});

async function setup(db: EntityManager, code = 'abcdefABCDEF') {
  const { id, accountId } = await accept(db, {
    content: {
      pieces: [{ link: 2 }],
      links: { base: '', targets: ['https://example.com/a', 'https://example.com/b'] },
      unicode: false,
      flash: false,
    },
  });
  const key = { submissionId: id, n: 1 };
  const link = { code, accountId, ...key, link: 2 };
  await insertShortLinks(db, [link], 90);
  const click: NewClick = { accountId, ...key, link: 2, kind: 'person', clickedAt: AT };
  return { link, key, click };
}
