import { describe, expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { WAIT } from '../../test/gateway.conformance.ts';
import { LONG, receipt, respond, scriptedSmpp } from '../../test/scripted-smpp.ts';
import { smsOf } from '../../test/smpp-gateway.ts';
import type { OutgoingSms } from '../sms-gateway.ts';

describe('a throttled message', () => {
  test('is tried again at a lower pace, and returned after 5 s', async () => {
    await using t = await scriptedSmpp((pdu, peer) => respond(peer, pdu, 0x58), { ratePerSecond: 100 });
    const submitting = t.submit();
    await waitFor(() => t.gateway.state().detail['ratePerSecond'] === 70);
    for (let tries = 1; tries < 25; tries += 1) {
      await waitFor(() => t.submits().length === tries && t.gateway.state().detail['queued'] === 1);
      t.clock.advance(200);
    }
    t.clock.advance(200);
    expect(await submitting).toMatchObject([
      { result: 'throttled', scope: 'gateway', reason: 'The SMSC answered 0x58 (throttled)' },
    ]);
    expect(t.gateway.state().detail).toMatchObject({ throttled: true });
  });

  test('repeats a segment alone, with the same octets, once another was taken', async () => {
    await using t = await scriptedSmpp((pdu, peer, n) => respond(peer, pdu, n === 2 ? 0x14 : 0, `seg-${n}`));
    const submitting = t.submit(LONG);
    await waitFor(() => t.submits().length === 3 || t.gateway.state().detail['queued'] === 2);
    t.clock.advance(200);
    await waitFor(() => t.submits().length >= 3);
    await waitFor(() => {
      t.clock.advance(100);
      return t.submits().length === 4;
    });
    expect(await submitting).toMatchObject([{ result: 'accepted' }]);
    const texts = t.submits().map(({ message }) => message.shortMessage.toString('hex'));
    expect(texts).toHaveLength(4);
    expect(new Set(texts).size).toBe(3);
  });

  test('is returned without a write when the window is full', async () => {
    await using t = await scriptedSmpp(() => undefined, { settings: { window: 1 } });
    void t.submit();
    await waitFor(() => t.submits().length === 1);
    const waiting = t.submit({ messageId: 'id:2' });
    t.clock.advance(5_000);
    expect(await waiting).toMatchObject([{ messageId: 'id:2', result: 'throttled', scope: 'gateway' }]);
    expect(t.smsc.taken()).toEqual(['id:1']);
  });
});

test('a message has failed when the SMSC refuses a segment after the deadline', async () => {
  await using t = await scriptedSmpp((pdu, peer, n) => respond(peer, pdu, n === 1 ? 0 : 0x08, 'one'));
  const submitting = t.submit(LONG);
  await waitFor(() => t.submits().length === 3);
  await waitFor(() => t.gateway.state().detail['inFlight'] === 0);
  t.clock.advance(30_000);
  expect(await submitting).toEqual([{ messageId: 'id:1', result: 'unconfirmed' }]);
  await waitFor(() => t.host.rows.length === 1);
  expect(t.host.rows).toMatchObject([{ gatewayMessageId: 'one', segment: 1, segments: 3 }]);
  await waitFor(() => t.reports.length === 1);
  expect(t.reports).toMatchObject([
    {
      messageId: 'id:1',
      status: 'FAILED',
      errCode: '006',
      description: 'The SMSC took only 1 of 3 segments. The SMSC answered 0x08 (system error)',
    },
  ]);
});

describe('a message of several segments', () => {
  test('is sent whole before another one begins', async () => {
    await using t = await scriptedSmpp(undefined, { ratePerSecond: 10 });
    const batch = [1, 2, 3].map((n) =>
      smsOf({ messageId: `id:${n}`, recipient: `91980000000${n}`, ...LONG }),
    );
    const submitting = t.gateway.submit(batch, WAIT);
    for (let sent = 1; sent <= 9; sent += 1) {
      await waitFor(() => t.submits().length === sent && t.gateway.state().detail['inFlight'] === 0);
      t.clock.advance(100);
    }
    expect(
      t
        .submits()
        .map(({ message }) => message.destination.at(-1))
        .join(''),
    ).toBe('111222333');
    expect(await submitting).toMatchObject(batch.map(() => ({ result: 'accepted' })));
  });

  test.each(['closes', 'has no time left'])(
    'has failed when the gateway %s before the last one',
    async (end) => {
      await using t = await scriptedSmpp(undefined, { ratePerSecond: 0.01 });
      const submitting = t.submit(LONG);
      await waitFor(() => t.gateway.state().detail['queued'] === 2);
      const closing = end === 'closes' ? t.gateway.close() : undefined;
      t.clock.advance(closing ? 2_000 : 30_000);
      await closing;
      expect(await submitting).toMatchObject([
        {
          messageId: 'id:1',
          result: 'rejected',
          errCode: '006',
          description: expect.stringMatching(/^The SMSC took only \d of 3 segments\. The gateway/),
        },
      ]);
    },
  );

  test('whose segment has no answer is sent to its end, and is unconfirmed', async () => {
    await using t = await scriptedSmpp(
      (pdu, peer, n) => {
        if (n === 2) return void peer.socket.destroy();
        respond(peer, pdu, 0, `seg-${n}`);
      },
      { ratePerSecond: 10 },
    );
    const submitting = t.submit(LONG);
    await waitFor(() => t.gateway.state().detail['queued'] === 2);
    t.clock.advance(100);
    await waitFor(() => t.gateway.state().status === 'down');
    t.clock.advance(1_500);
    await waitFor(() => t.submits().length === 3);
    expect(await submitting).toEqual([{ messageId: 'id:1', result: 'unconfirmed' }]);
    await waitFor(() => t.host.rows.length > 0);
    expect(t.host.rows.map(({ segment }) => segment)).toEqual([1, 3]);
  });
});

test('a begun message is sent to its end when the gateway closes, and others are returned', async () => {
  await using t = await scriptedSmpp(undefined, { ratePerSecond: 10 });
  const [submitting, other] = [t.submit(LONG), t.submit({ messageId: 'id:2' })];
  await waitFor(() => t.gateway.state().detail['queued'] === 3);

  const closing = t.gateway.close();
  expect(await other).toMatchObject([{ result: 'throttled', reason: 'The gateway is closed' }]);
  t.clock.advance(100);
  t.clock.advance(100);
  await waitFor(() => t.gateway.state().detail['inFlight'] === 0);
  t.clock.advance(50);
  await closing;

  expect(await submitting).toMatchObject([{ result: 'accepted' }]);
  expect(t.submits()).toHaveLength(3);
});

describe('an answer after the deadline', () => {
  async function late(status: number, fields: Partial<OutgoingSms> = {}) {
    const answer = Promise.withResolvers<void>();
    const t = await scriptedSmpp(
      (pdu, peer) => void answer.promise.then(() => respond(peer, pdu, status, 'late')),
    );
    const submitting = t.submit(fields);
    await waitFor(() => t.submits().length === 1);
    t.clock.advance(30_000);
    expect(await submitting).toEqual([{ messageId: 'id:1', result: 'unconfirmed' }]);
    answer.resolve();
    return t;
  }

  test('confirms the message, and its receipt finds it', async () => {
    await using t = await late(0);
    await waitFor(() => t.reports.length === 1);
    expect(t.host.rows).toMatchObject([{ gatewayMessageId: 'late' }]);
    t.peer.send({ command: 'deliver_sm', sequence: 1, message: receipt('late') });
    await waitFor(() => t.reports.length === 2);
    expect(t.reports).toMatchObject([
      { messageId: 'id:1', status: 'SENT', errCode: '000' },
      { messageId: 'id:1', status: 'DELIVERED' },
    ]);
  });

  test('to the first of several segments fails the message, whose others were never sent', async () => {
    await using t = await late(0, LONG);
    await waitFor(() => t.reports.length === 1);
    expect(t.reports).toMatchObject([{ messageId: 'id:1', status: 'FAILED', errCode: '006' }]);
    expect(t.host.rows).toMatchObject([{ gatewayMessageId: 'late', segment: 1, segments: 3 }]);
    expect(t.submits()).toHaveLength(1);
  });

  test.each([
    [0x0b, '003'],
    [0x58, '006'],
  ])('of status %d reports the message as failed', async (status, errCode) => {
    await using t = await late(status);
    await waitFor(() => t.reports.length === 1);
    expect(t.reports).toMatchObject([{ messageId: 'id:1', status: 'FAILED', errCode }]);
  });
});
