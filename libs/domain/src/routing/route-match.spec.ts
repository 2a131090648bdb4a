import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ROUTED_TYPES, type RouteMatch } from './route.ts';
import { type RoutedMessage, findMismatch } from './route-match.ts';

const NOON = new Date('2026-05-01T12:00:00Z');
const MESSAGE: RoutedMessage = {
  messageId: 'm:1',
  accountId: 'acme',
  sender: 'ACME',
  recipient: '919800000001',
  type: 'OTP',
};

const message = fc.record({
  messageId: fc.constant('m:1'),
  accountId: fc.constantFrom('a', 'b', 'c'),
  sender: fc.constantFrom('ACME', 'BETA'),
  recipient: fc.constantFrom('919800000001', '447700900001', '12025550100', '33600000000'),
  type: fc.constantFrom(...ROUTED_TYPES),
});
const match = fc.record(
  {
    prefixes: fc.subarray(['91', '9198', '44', '1202']),
    countries: fc.subarray(['IN', 'GB', 'US', 'FR']),
    types: fc.subarray([...ROUTED_TYPES]),
    accounts: fc.subarray(['a', 'b', 'c']),
    senders: fc.subarray(['ACME', 'BETA']),
  },
  { requiredKeys: [] },
);

/** The rule in one line: each given list names the fact of the message. */
function takes(m: RoutedMessage, { prefixes, countries, types, accounts, senders }: RouteMatch): boolean {
  const country = { '9': 'IN', '4': 'GB', '1': 'US', '3': 'FR' }[m.recipient[0]!]!;
  const isListed = (list: readonly string[] | undefined, fact: string) => !list || list.includes(fact);
  return (
    (!prefixes || prefixes.some((prefix) => m.recipient.startsWith(prefix))) &&
    isListed(countries, country) &&
    isListed(types, m.type) &&
    isListed(accounts, m.accountId) &&
    isListed(senders, m.sender)
  );
}

test('a route takes the messages that agree in every given field, and no others', () => {
  fc.assert(
    fc.property(match, message, (wanted, m) => {
      expect(findMismatch(wanted, m, NOON) === undefined).toBe(takes(m, wanted));
    }),
  );
});

test('the field that is named is given and alone enough to pass the message over', () => {
  fc.assert(
    fc.property(match, message, (wanted, m) => {
      const field = findMismatch(wanted, m, NOON);
      if (field !== undefined) expect(takes(m, { [field]: (wanted as RouteMatch)[field] })).toBe(false);
    }),
  );
});

test('hours and the hours around them cover each minute of a day once', () => {
  const minute = fc.integer({ min: 0, max: 1439 });
  const zone = fc.constantFrom('UTC', 'Asia/Kolkata', 'America/New_York');
  const text = (at: number) =>
    `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
  fc.assert(
    fc.property(minute, minute, zone, fc.date({ noInvalidDate: true }), (a, b, in_, at) => {
      fc.pre(a !== b);
      const during = (from: number, to: number) =>
        findMismatch({ hours: { from: text(from), to: text(to), zone: in_ } }, MESSAGE, at) === undefined;
      expect(during(a, b)).not.toBe(during(b, a));
    }),
  );
});

test('hours follow their zone, across midnight too', () => {
  const during = (from: string, to: string, zone: string) =>
    findMismatch({ hours: { from, to, zone } }, MESSAGE, NOON);

  expect(during('12:00', '12:01', 'UTC')).toBeUndefined();
  expect(during('11:00', '12:00', 'UTC')).toBe('hours');
  expect(during('17:30', '09:00', 'Asia/Kolkata')).toBeUndefined();
  expect(during('17:31', '09:00', 'Asia/Kolkata')).toBe('hours');
});
