import { expect, test } from '@jest/globals';
import { parseQuietHours } from './quiet-hours.ts';

test('quiet hours are a list of rules or none', () => {
  expect(parseQuietHours('PROMO 91 21:00-10:00 Asia/Kolkata; TRANS 33 00:00-06:30 Europe/Paris')).toEqual([
    { lane: 'PROMO', prefix: '91', from: '21:00', until: '10:00', zone: 'Asia/Kolkata' },
    { lane: 'TRANS', prefix: '33', from: '00:00', until: '06:30', zone: 'Europe/Paris' },
  ]);
  expect(parseQuietHours('none')).toEqual([]);
});

test.each([
  ['', 'must be like'],
  ['PROMO 91', 'must be like'],
  ['PROMO 91 21:00-10:00', 'must be like'],
  ['PROMO +91 21:00-10:00 Asia/Kolkata', 'must be like'],
  ['PROMO 91 9:00-10:00 Asia/Kolkata', 'must be like'],
  ['PROMO 91 21:00-24:00 Asia/Kolkata', 'must be like'],
  ['PROMO 91 21:00-10:00 Asia/Kolkata;', 'must be like'],
  ["PROMO 91 21:00-10:00 Asia/Kolkata'", 'must be like'],
  ['PROMO 91 21:00-10:00 +05:30', 'must be like'],
  ['promo 91 21:00-10:00 Asia/Kolkata', 'must begin with one of'],
  ['PROMO 91 21:00-21:00 Asia/Kolkata', 'begins when it ends'],
  ['PROMO 91 21:00-10:00 Asia/Nowhere', 'names no time zone'],
])('%p is refused', (text, problem) => {
  expect(() => parseQuietHours(text)).toThrow(problem);
});
