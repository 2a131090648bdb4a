import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ID, MESSAGE, refuse, setup as setupGateway } from '../../test/cloud-api.ts';
import { WAIT } from '../../test/gateway.conformance.ts';
import { NumberPace } from './number-pace.ts';

/** A pace of ten messages a second, on a clock that stands still, whose burst is used up. */
function setup() {
  const clock = { ms: 0 };
  const pace = new NumberPace(
    () => 10,
    () => clock.ms,
  );
  const wait = (isCode = false, limitMs = 60_000) => pace.reserve(limitMs, isCode).waitMs;
  wait();
  return { clock, pace, wait };
}

test('messages leave evenly, after a burst of a tenth of a second', () => {
  const t = setup();
  t.clock.ms = 1_000;
  expect([1, 2, 3, 4].map(() => t.wait())).toEqual([0, 0, 100, 200]);
});

test('a message beyond the limit reserves nothing', () => {
  const t = setup();
  expect([t.wait(), t.wait(false, 150), t.wait(false, 150)]).toEqual([100, 200, 200]);
});

test('codes pass the messages that wait, at the rate of the number', () => {
  const t = setup();
  for (let i = 0; i < 50; i += 1) t.wait();
  expect([1, 2, 3].map(() => t.wait(true))).toEqual([0, 100, 200]);
});

test('messages are put off by as much as codes took, so that the rate holds', () => {
  const t = setup();
  const slot = t.pace.reserve(60_000, false);
  t.wait(true);
  t.wait(true);

  expect([slot.waitMs, t.pace.putOffMs(slot), t.pace.putOffMs(slot)]).toEqual([100, 200, 0]);
  const next = t.pace.reserve(60_000, false);
  expect([next.waitMs, t.pace.putOffMs(next)]).toEqual([400, 0]);
});

test('a code does not wait for the messages of its number that wait', async () => {
  await using t = await setupGateway(() => undefined, { messagesPerSecond: 1 });
  await t.submit();
  for (const n of [2, 3, 4]) void t.submit({ messageId: `${ID}:${n}` });
  const filling = { body: [], buttons: [], cards: [], code: '123456' };
  const template = { name: 'code', language: 'en', category: 'AUTHENTICATION' as const, filling };

  expect((await t.submit({ kind: 'template', template })).result).toBe('accepted');

  expect(t.graph.sent.filter(({ type }) => type === 'text').length).toBeLessThan(4);
});

test('a message whose turn comes too late for an answer is not sent', async () => {
  await using t = await setupGateway(undefined, { messagesPerSecond: 10 });
  t.graph.intercept = ({ path }) => (path.endsWith('/messages') ? { after: sleep(300) } : undefined);
  const messages = Array.from({ length: 40 }, (_, i) => ({ ...MESSAGE, messageId: `${ID}:${i + 1}` }));

  const outcomes = await t.gateway.submit(messages, { ...WAIT, deadlineMs: 4_000 });

  expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['accepted', 'throttled']));
  expect(t.graph.sent).toHaveLength(outcomes.filter(({ result }) => result === 'accepted').length);
});

test('a message that waited is not sent when its number was stopped meanwhile', async () => {
  await using t = await setupGateway(refuse(131_048), { messagesPerSecond: 1 });
  const outcomes = await Promise.all([1, 2, 3].map((n) => t.submit({ messageId: `${ID}:${n}` })));

  expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['throttled']));
  const ids = t.graph.requests.map(({ body }) => body['biz_opaque_callback_data']);
  expect(ids).not.toContain(`${ID}:3`);
});
