import { expect, test } from '@jest/globals';
import { browserOf } from './browser-of.ts';

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)';
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

test.each([
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'],
  ['Chrome on macOS', `${MAC} Chrome/142.0.0.0 Safari/537.36`],
  ['Edge on macOS', `${MAC} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`],
  ['Opera on macOS', `${MAC} Chrome/142.0.0.0 Safari/537.36 OPR/124.0.0.0`],
  ['Safari on iPhone', `${PHONE} Version/18.5 Mobile/15E148 Safari/604.1`],
  ['Chrome on iPhone', `${PHONE} CriOS/142.0 Mobile/15E148 Safari/604.1`],
  [
    'Samsung Internet on Android',
    'Mozilla/5.0 (Linux; Android 15; SM-S931B) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36',
  ],
  ['curl', 'curl/8.16.0'],
  ['Unknown browser', ''],
])('names %s', (name, userAgent) => {
  expect(browserOf(userAgent)).toBe(name);
});
