import { expect, test } from '@jest/globals';
import { finalReport, smsScript } from './script.ts';

const statuses = (recipient: string) =>
  smsScript(recipient).reports.map(({ status, errCode }) => `${status} ${errCode}`);

test.each([
  ['919800000001', ['FAILED 001']],
  ['919800000002', ['FAILED 002']],
  ['919800000003', ['DELIVERED 000']],
  ['919800000004', ['DELIVERED 000']],
  ['919800000005', ['DELIVERED 000', 'DELIVERED 000']],
  ['919800000006', []],
  ['919800000007', ['DELIVERED 000', 'READ 000']],
  ['919800000008', ['DELIVERED 000', 'SENT 000']],
  ['919800000009', ['DELIVERED 000']],
  ['919800000010', ['DELIVERED 000']],
  ['919800010001', ['FAILED 001']],
])('%s is reported %j', (recipient, reports) => {
  expect(statuses(recipient)).toEqual(reports);
});

test('the final report of a script is never SENT', () => {
  expect(finalReport(smsScript('919800000008'))?.status).toBe('DELIVERED');
  expect(finalReport(smsScript('919800000007'))?.status).toBe('READ');
  expect(finalReport(smsScript('919800000006'))).toBeUndefined();
});
