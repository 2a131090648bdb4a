import { expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type Answer, GOOD_SMS, expectFailure, startSharedApi } from './api-under-test.ts';
import { ScriptedGateway } from './scripted-gateway.ts';

const PHONE = {
  'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1',
};

const gateway = new ScriptedGateway(() => []);
const t = await startSharedApi({ workers: ['sms'], gateway });

/** Sends a text with links to these addresses. @returns the paths of the links as the phone received them */
async function sendLinks(...targetUrl: string[]): Promise<{ id: string; paths: string[] }> {
  const text = targetUrl.map((_, i) => `{{shortUrl${i + 1}}}`).join(' ');
  const { body } = await t.call({
    body: { ...GOOD_SMS, text, shortenUrlData: { shortenUrl: true, targetUrl } },
  });
  const mine = () => gateway.submitted.find(({ messageId }) => messageId === `${body.id}:1`);
  await waitFor(() => mine() !== undefined, {
    otherwise: 'the message was not submitted',
  });
  return {
    id: body.id,
    paths: (mine()?.text ?? '').split(' ').map((url) => url.replace('https://sgnl.example', '')),
  };
}

function follow(path: string, headers: Record<string, string> = PHONE, method = 'GET'): Promise<Answer> {
  return t.call({ method, path, headers: { apikey: null, ...headers } });
}

test('a link redirects without a key, without a referrer and without being cached', async () => {
  const { paths } = await sendLinks('https://example.com/a?b=ü#c', 'http://example.org');

  const answers = [];
  for (const path of paths) answers.push(await follow(path));

  expect(answers.map(({ status, headers }) => [status, headers.location])).toEqual([
    [302, 'https://example.com/a?b=%C3%BC#c'],
    [302, 'http://example.org/'],
  ]);
  expect(answers[0]).toMatchObject({
    text: '',
    headers: { 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' },
  });
  expect((await follow(paths[0] ?? '', PHONE, 'HEAD')).status).toBe(302);
});

test('the refusal of an address of a private host says what it must be', async () => {
  const shortenUrlData = { shortenUrl: true, targetUrl: ['http://localhost:3000/orders'] };
  const refused = await t.call({ body: { ...GOOD_SMS, text: '{{shortUrl}}', shortenUrlData } });

  expectFailure(refused, 400, 'invalid_request', ['shortenUrlData.targetUrl[0] invalid_format']);
  expect(refused.body.message).toContain('a public host');
});

test.each([
  ['code', '000000000000'],
  ['short code', 'x'],
  ['longer code', '0000000000000'],
  ['SQL', "'%20OR%201=1"],
  ['U+0000', '%00'],
  ['emoji', '%F0%9F%98%80'],
  ['very long code', 'x'.repeat(5_000)],
])('a link with an unknown %s is absent', async (_, code) => {
  expectFailure(await follow(`/s/${code}`), 404, 'route_not_found');
});

test('a browser gets a page for an unknown link', async () => {
  const answer = await fetch(`${t.p.apiUrl}/s/doesNotExist`, { headers: { accept: 'text/html, */*' } });

  const { status, headers } = answer;
  expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
    404,
    'text/html; charset=utf-8',
    'accept',
  ]);
  expect(await answer.text()).toContain('<h1>This link does not work</h1>');
});

test('an expired link is answered as an unknown one', async () => {
  const { id, paths } = await sendLinks('https://example.com/');
  await t.db.query(`UPDATE short_link SET expires_at = now() WHERE submission_id = $1`, [id]);

  expectFailure(await follow(paths[0] ?? ''), 404, 'route_not_found');
});

test('other methods are refused', async () => {
  expectFailure(await follow('/s/000000000000', {}, 'DELETE'), 405, 'method_not_allowed');
});

test('a network that guesses codes is limited, and its known links still redirect', async () => {
  const { paths } = await sendLinks('https://example.com/');
  const guess = (i: number, from: string) =>
    follow(`/s/${String(i).padStart(12, '0')}`, { ...PHONE, 'x-forwarded-for': from });

  const statuses = new Set<number>();
  for (let i = 0; i < 330; i += 1) statuses.add((await guess(i, `2001:db8:1:2::${i.toString(16)}`)).status);

  expect([...statuses]).toEqual([404, 429]);
  const refused = await guess(1, '2001:db8:1:2:3::4');
  expectFailure(refused, 429, 'rate_limited');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await guess(1, '2001:db8:1:3::1')).status).toBe(404);
  expect((await guess(1, '192.0.2.7')).status).toBe(404);
  const known = await follow(paths[0] ?? '', { ...PHONE, 'x-forwarded-for': '2001:db8:1:2:3::4' });
  expect(known.status).toBe(302);
});

test('clicks are in the timeline by kind, and clicks of people are counted in the list', async () => {
  const { id, paths } = await sendLinks('https://example.com/', 'https://example.org/');
  const [path = ''] = paths;
  for (let i = 0; i < 3; i += 1) await follow(path);
  await follow(path, PHONE, 'HEAD');
  await follow(path, { ...PHONE, 'sec-purpose': 'prefetch' });
  await follow(path, { 'user-agent': 'curl/8.7.1' });

  const look = async () => (await t.call<Message>({ method: 'GET', path: `/v1/messages/${id}:1` })).body.data;
  const clicksOf = ({ timeline }: Message) => timeline.filter(({ event }) => event === 'clicked');
  const sumOf = (message: Message) => clicksOf(message).reduce((sum, { clicks = 0 }) => sum + clicks, 0);
  await waitFor(async () => sumOf(await look()) === 6, { otherwise: 'clicks are missing' });

  const message = await look();
  const told = {
    event: 'clicked',
    at: expect.any(String),
    lastAt: expect.any(String),
    link: 1,
    url: 'https://example.com/',
  };
  expect(message.clicks).toBe(3);
  expect(clicksOf(message).toSorted((a, b) => (a.by ?? '').localeCompare(b.by ?? ''))).toEqual([
    { ...told, by: 'bot', clicks: 1 },
    { ...told, by: 'person', clicks: 3 },
    { ...told, by: 'prefetch', clicks: 2 },
  ]);
  const list = await t.call<Message[]>({ method: 'GET', path: `/v1/messages?submissionId=${id}` });
  expect(list.body.data).toMatchObject([{ clicks: 3 }]);
});

interface Message {
  clicks: number | null;
  timeline: { event: string; by?: string; clicks?: number }[];
}
