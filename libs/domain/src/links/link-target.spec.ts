import { expect, test } from '@jest/globals';
import { isLinkTarget } from './link-target.ts';

test.each([
  'https://example.com/orders/42?a=b#c',
  'HTTP://EXAMPLE.COM',
  'https://example.com:8443/',
  'https://bücher.example/ü',
  'http://1.1.1.1/',
  'http://[2606:4700::1111]/',
  'https://localhost.example.com/',
  'https://internal.example.com/',
])('a short link may lead to %s', (url) => {
  expect(isLinkTarget(url)).toBe(true);
});

test.each([
  '',
  'example.com',
  'ftp://example.com/',
  'javascript:alert(1)',
  'http:example.com',
  'http:///example.com',
  'https://user:password@example.com/',
  'https://example.com@127.0.0.1/',
  'https://exam\tple.com/',
  'https://example.com\\@example.org/',
  ' https://example.com/',
  `https://example.com/${'x'.repeat(2_029)}`,
])('a short link may not lead to %j', (url) => {
  expect(isLinkTarget(url)).toBe(false);
});

test.each([
  'http://localhost/',
  'http://LOCALHOST.:3000/',
  'http://api.localhost/',
  'http://printer.local/',
  'http://metadata.google.internal/',
  'http://127.0.0.1/',
  'http://127.1/',
  'http://0x7f000001/',
  'http://2130706433/',
  'http://0.0.0.0/',
  'http://10.0.0.1/',
  'http://172.16.5.4/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://169.254.169.254/',
  'http://[::1]/',
  'http://[fd00::1]/',
  'http://[fe80::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
])('a short link may not lead to the private host %s', (url) => {
  expect(isLinkTarget(url)).toBe(false);
});
