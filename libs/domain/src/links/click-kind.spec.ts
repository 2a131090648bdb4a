import { expect, test } from '@jest/globals';
import { type ClickKind, clickKind } from './click-kind.ts';

const CHROME =
  'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1';

test.each([
  [CHROME, 'person'],
  [SAFARI, 'person'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0', 'person'],
  [
    'Mozilla/5.0 (Linux; Android 15; CUBOT X90) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'person',
  ],
  ['Opera/9.80 (J2ME/MIDP; Opera Mini/4.2) Presto/2.12 Version/12.16', 'person'],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'bot'],
  ['Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)', 'bot'],
  ['curl/8.7.1', 'bot'],
  ['python-requests/2.32.3', 'bot'],
  ['Go-http-client/2.0', 'bot'],
  ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', 'prefetch'],
  ['WhatsApp/2.23.20.0', 'prefetch'],
  ['TelegramBot (like TwitterBot)', 'prefetch'],
  ['', 'bot'],
  [undefined, 'bot'],
] as [string | undefined, ClickKind][])('a GET of %j is a %s', (userAgent, kind) => {
  expect(clickKind({ method: 'GET', userAgent, purpose: undefined })).toBe(kind);
});

test.each(['prefetch', 'prefetch;prerender', 'Preview'])(
  'a request with the purpose %s is a prefetch',
  (purpose) => {
    expect(clickKind({ method: 'GET', userAgent: CHROME, purpose })).toBe('prefetch');
  },
);

test('a HEAD request is a prefetch', () => {
  expect(clickKind({ method: 'HEAD', userAgent: CHROME, purpose: undefined })).toBe('prefetch');
});
