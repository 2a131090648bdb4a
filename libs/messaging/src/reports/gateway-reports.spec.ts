import { expect, test } from '@jest/globals';
import { toNewReport } from './gateway-reports.ts';

const REPORT = {
  messageId: '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c93:1',
  status: 'FAILED' as const,
  errCode: '001',
  description: 'Absent',
  reportedAt: new Date(),
};

test.each<[string, unknown, unknown]>([
  ['U+0000', 'a\u0000b', 'ab'],
  ['the escape of U+0000 as text', String.raw`a\u0000b`, String.raw`a\u0000b`],
  ['half of a pair of surrogates', 'a\ud800', 'a\ufffd'],
])('details with %s are stored', (_name, price, stored) => {
  expect(toNewReport('smsc-1', { ...REPORT, details: { price } })?.details).toEqual({ price: stored });
});

test('a code of the gateway is cut without leaving half of a pair of surrogates', () => {
  const report = toNewReport('smsc-1', { ...REPORT, gatewayCode: `${'x'.repeat(63)}\u{1f600}` });

  expect(report?.gatewayCode).toBe(`${'x'.repeat(63)}\ufffd`);
});
