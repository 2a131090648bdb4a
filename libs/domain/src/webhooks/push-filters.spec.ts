import { expect, test } from '@jest/globals';
import { type FilteredReport, type PushFilters, isWanted } from './push-filters.ts';

const REPORT: FilteredReport = {
  lane: 'OTP',
  status: 'Failed',
  sender: 'SIGNALBX',
  recipient: '919800000100',
};

test.each<[string, PushFilters, boolean]>([
  ['no filter', {}, true],
  ['empty lists', { type: [], status: [], sender: [], country: [] }, true],
  ['its type', { type: ['PROMO', 'OTP'] }, true],
  ['another type', { type: ['PROMO'] }, false],
  ['its status', { status: ['Failed'] }, true],
  ['another status', { status: ['Sent', 'Delivered'] }, false],
  ['its sender', { sender: ['SIGNALBX'] }, true],
  ['its sender in lower case', { sender: ['signalbx'] }, false],
  ['its country', { country: ['DE', 'IN'] }, true],
  ['another country', { country: ['DE'] }, false],
  ['all its properties', { type: ['OTP'], status: ['Failed'], sender: ['SIGNALBX'], country: ['IN'] }, true],
  [
    'all its properties but one',
    { type: ['OTP'], status: ['Delivered'], sender: ['SIGNALBX'], country: ['IN'] },
    false,
  ],
])('a report is filtered by %s', (_, filters, wanted) => {
  expect(isWanted(filters, REPORT)).toBe(wanted);
});

test('a number without country passes no filter by country', () => {
  expect(isWanted({ country: ['IN', 'US'] }, { ...REPORT, recipient: '8816000000' })).toBe(false);
  expect(isWanted({}, { ...REPORT, recipient: '8816000000' })).toBe(true);
});

test('a filter by status applies only to reports that change the status', () => {
  expect(isWanted({ status: ['Failed'] }, { ...REPORT, status: null })).toBe(true);
  expect(isWanted({ status: ['Failed'], sender: ['OTHER'] }, { ...REPORT, status: null })).toBe(false);
});
