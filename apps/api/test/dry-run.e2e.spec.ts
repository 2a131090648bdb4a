import { expect, test } from '@jest/globals';
import { GOOD_SMS, startSharedApi } from './api-under-test.ts';

const t = await startSharedApi();

const tryOut = (fields: object) => t.call({ path: '/v1/sms?dryRun=true', body: { ...GOOD_SMS, ...fields } });

test('a dry run returns text, encoding and price, and stores nothing', async () => {
  const before = await t.countRows();

  const { status, body } = await tryOut({ text: 'Hello €' });

  expect([status, body]).toEqual([
    200,
    {
      id: null,
      data: [
        {
          recipient: GOOD_SMS.to,
          text: 'Hello €',
          encoding: 'GSM-7',
          parts: 1,
          credits: 1,
          firstUnicode: null,
        },
      ],
      totalCount: 1,
      totalCredits: 1,
      optedOutCount: 0,
      message: 'The request is valid. Nothing was stored or sent.',
      error: null,
    },
  ]);
  expect(await t.countRows()).toEqual(before);
});

test('the first character beyond GSM-7 is returned with its position in characters', async () => {
  const { body } = await tryOut({ text: `€1 ~ ${'x'.repeat(70)} ç 😀` });

  expect(body.data).toMatchObject([
    { encoding: 'UCS-2', parts: 2, firstUnicode: { character: 'ç', position: 77 } },
  ]);
  expect((await tryOut({ text: 'x😀y' })).body.data).toMatchObject([
    { firstUnicode: { character: '😀', position: 2 } },
  ]);
  expect((await tryOut({ text: 'x', unicode: 1 })).body.data).toMatchObject([
    { encoding: 'UCS-2', firstUnicode: null },
  ]);
});

test('the texts of the first ten recipients are rendered, and all recipients are counted', async () => {
  const template = await t.call<{ id: string }>({
    path: '/v1/sms/templates',
    body: { name: 'dry', text: 'Hi {{1}}: {{shortUrl}}' },
  });
  const to = Array.from({ length: 12 }, (_, i) => String(919800000100 + i));
  const custom = to.map((_, i) => ['x'.repeat(i === 11 ? 200 : i)]);
  const links = { shortenUrlData: { shortenUrl: true, targetUrl: ['https://example.com/'] } };

  const { body } = await tryOut({ to, text: undefined, templateId: template.body.data.id, custom, ...links });

  expect(body.data).toHaveLength(10);
  expect(body.data).toMatchObject(
    to.slice(0, 10).map((recipient, i) => ({
      recipient,
      text: `Hi ${'x'.repeat(i)}: https://sgnl.example/s/XXXXXXXXXXXX`,
    })),
  );
  expect(body).toMatchObject({ totalCount: 12, totalCredits: 13 });
});

test('recipients who opted out of the sender or the account are counted, but not for OTP', async () => {
  const to = Array.from({ length: 12 }, (_, i) => String(919800000200 + i));
  const optOuts = { recipients: to.slice(0, 2) };
  expect((await t.call({ path: '/v1/opt-outs', body: optOuts })).status).toBe(201);
  const ofSender = { recipients: [to[1], to[2]], sender: GOOD_SMS.sender };
  expect((await t.call({ path: '/v1/opt-outs', body: ofSender })).status).toBe(201);
  const ofAnother = { recipients: [to[3]], sender: 'ANOTHER' };
  expect((await t.call({ path: '/v1/opt-outs', body: ofAnother })).status).toBe(201);

  expect((await tryOut({ to })).body).toMatchObject({ totalCount: 12, totalCredits: 12, optedOutCount: 3 });
  expect((await tryOut({ to, type: 'OTP' })).body).toMatchObject({ totalCount: 12, optedOutCount: 0 });
  expect((await tryOut({ to: to[2] })).body).toMatchObject({ error: { code: 'recipient_opted_out' } });
});

test('addresses that are not shortened appear in the text unchanged', async () => {
  const shortenUrlData = {
    shortenUrl: false,
    targetUrl: ['https://Example.com/a?b=c', 'https://example.com'],
  };

  expect(
    (await tryOut({ text: 'See {{shortUrl}} or {{shortUrl2}}', shortenUrlData })).body.data,
  ).toMatchObject([{ text: 'See https://Example.com/a?b=c or https://example.com' }]);
});
