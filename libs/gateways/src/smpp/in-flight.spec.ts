import { expect, test } from '@jest/globals';
import { type Answer, InFlight } from './in-flight.ts';

const ANSWERED: Answer = {
  result: 'answered',
  status: 0,
  body: { messageId: '', tlvs: [], state: 0, errorCode: 0, finalDate: '' },
};

function setup(last?: number) {
  const inFlight = new InFlight(last);
  const ends: string[] = [];
  const add = (name: string, at = 0, counts = true) =>
    inFlight.add(at, counts, { done: ({ result }) => void ends.push(`${name} ${result}`) });
  return { inFlight, ends, add };
}

test('sequence numbers restart at 1 after 0x7FFFFFFF and skip those in flight', () => {
  const t = setup(0x7ffffffe);
  expect(t.add('a')).toBe(0x7fffffff);
  expect(t.add('b')).toBe(1);
  const u = setup(0);
  expect(u.add('a')).toBe(1);
  Object.assign(u.inFlight, { last: 0x7fffffff });
  expect(u.add('b')).toBe(2);
});

test('a request ends once', () => {
  const t = setup();
  const sequence = t.add('a');
  expect(t.inFlight.settle(sequence, ANSWERED)).toBe(true);
  expect(t.inFlight.settle(sequence, ANSWERED)).toBe(false);
  t.inFlight.clear('over');
  expect(t.ends).toEqual(['a answered']);
});

test('at the end a request is lost if it was written, else unsent', () => {
  const t = setup();
  t.add('written');
  t.inFlight.markWritten();
  t.add('queued');
  t.inFlight.clear('over');
  expect(t.ends).toEqual(['written lost', 'queued unsent']);
});

test('requests expire oldest first, and only those of the window are counted', () => {
  const t = setup();
  t.add('enquire', 1, false);
  t.add('submit', 2);
  t.add('young', 3);
  expect(t.inFlight.expire(2, 'late')).toBe(1);
  expect(t.ends).toEqual(['enquire lost', 'submit lost']);
  expect(t.inFlight.oldestAt).toBe(3);
  expect(t.inFlight.size).toBe(1);
});

test('a request that waits long keeps its answer while thousands of others come and go', () => {
  const t = setup();
  const waiting = t.add('waiting');
  const given = Array.from({ length: 5_000 }, () => {
    const sequence = t.add('other');
    expect(t.inFlight.settle(sequence, ANSWERED)).toBe(true);
    return sequence;
  });
  expect(new Set(given).size).toBe(5_000);
  expect(t.inFlight.settle(waiting + 2_048, ANSWERED)).toBe(false);
  expect(t.inFlight.settle(waiting, ANSWERED)).toBe(true);
  expect([t.ends.at(-1), t.inFlight.size]).toEqual(['waiting answered', 0]);
});
