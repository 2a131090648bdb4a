import { expect, test } from '@jest/globals';
import type { NewMessageId } from '@signalbox/database/gateways/message-ids';
import type { SegmentReport } from '@signalbox/gateways/gateway-ids';
import { RecentIds } from './recent-ids.ts';

function row(gatewayMessageId: string, n: number, changes: Partial<NewMessageId> = {}): NewMessageId {
  const submissionId = '019e6f0d-1a77-7c3e-8f21-7b0a9c4d5e66';
  const own = { gateway: 'smsc', submissionId, n, segment: 1, segments: 1, recipient: '919800000001' };
  return { ...own, gatewayMessageId, ...changes };
}

function report(gatewayMessageId: string, recipient: string | null = '919800000001'): SegmentReport {
  const fields = { status: 'DELIVERED', errCode: '000', gatewayCode: null, description: '' } as const;
  return { gatewayMessageId, recipient, ...fields, reportedAt: new Date() };
}

test('a report of an id that one message has finds it, until the final one', () => {
  const recent = new RecentIds();
  recent.add([row('A', 1), row('B', 2)], []);

  expect(recent.find('smsc-2', report('B'))).toBeUndefined();
  expect(recent.find('smsc', { ...report('B'), status: 'SENT' })?.n).toBe(2);
  expect(recent.find('smsc', report('B'))?.n).toBe(2);
  expect(recent.find('smsc', report('B'))).toBeUndefined();
});

test.each([
  ['had a row before', [row('A', 1)], [row('A', 9)]],
  ['came twice together', [row('A', 1), row('A', 2), row('A', 3)], []],
  ['is empty', [row('', 1)], []],
  ['belongs to a segment', [row('A', 1, { segments: 2 })], []],
])('the database decides on a report whose id %s', (_, rows, known) => {
  const recent = new RecentIds();
  recent.add(rows, known);

  expect(recent.find('smsc', report(rows[0]!.gatewayMessageId))).toBeUndefined();
});

test('the database decides on an id that comes again, and on a report of another number or none', () => {
  const recent = new RecentIds();
  recent.add([row('A', 1), row('B', 2)], []);
  recent.add([row('A', 3)], []);

  expect(recent.find('smsc', report('A'))).toBeUndefined();
  for (const recipient of [null, '919800000002', '9800000001'])
    expect(recent.find('smsc', report('B', recipient))).toBeUndefined();
});

test('an id is looked up once, and one that the database decides on never', () => {
  const recent = new RecentIds();
  recent.add([row('A', 1)], []);

  const rows = [row('A', 2), row('B', 3), row('C', 4, { segments: 2 }), row('', 5)];
  expect(recent.newIds(rows)).toEqual(['B']);
});
