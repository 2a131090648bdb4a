import { describe, expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { LONG, receipt, respond, scriptedSmpp } from '../../test/scripted-smpp.ts';
import { MemorySlots, memoryHost } from '../../test/smpp-host.ts';
import type { SmscConnection } from '../../test/smsc.ts';
import type { OutgoingSms } from '../sms-gateway.ts';
import { type Pdu, emptyMessage } from './pdu.ts';
import { EncodingSettings } from './text/encoding-settings.ts';

describe('an accepted message', () => {
  test('has the id of each of its segments, stored before the outcome', async () => {
    const stored = Promise.withResolvers<void>();
    await using t = await scriptedSmpp((pdu, peer, n) => respond(peer, pdu, 0, `seg-${n}`));
    t.host.beforeInsert = () => stored.promise;
    let isDone = false;
    const submitting = t.submit(LONG).finally(() => (isDone = true));
    await waitFor(() => t.submits().length === 3);
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    stored.resolve();
    expect(await submitting).toEqual([
      { messageId: 'id:1', result: 'accepted', gatewayMessageIds: ['seg-1', 'seg-2', 'seg-3'] },
    ]);
    expect(t.host.rows.map(({ gatewayMessageId, segment }) => [gatewayMessageId, segment])).toEqual([
      ['seg-1', 1],
      ['seg-2', 2],
      ['seg-3', 3],
    ]);
  });

  test('names no ids when the SMSC gives none, and is still stored', async () => {
    await using t = await scriptedSmpp((pdu, peer) => respond(peer, pdu, 0));
    expect(await t.submit()).toEqual([{ messageId: 'id:1', result: 'accepted', gatewayMessageIds: [] }]);
    expect(t.host.rows).toMatchObject([{ gatewayMessageId: '', messageId: 'id:1' }]);
  });

  test('waits for a database that refuses its ids at first', async () => {
    await using t = await scriptedSmpp();
    let failures = 2;
    t.host.beforeInsert = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('no database');
    };
    const submitting = t.submit();
    await waitFor(() => failures === 1 && t.host.logs.some(({ event }) => event === 'smpp.ids_unstored'));
    t.clock.advance(100);
    await waitFor(() => failures === 0);
    t.clock.advance(200);
    expect(await submitting).toMatchObject([{ result: 'accepted' }]);
  });

  test('is unconfirmed when its ids cannot be stored before the deadline', async () => {
    await using t = await scriptedSmpp();
    t.host.beforeInsert = () => Promise.reject(new Error('no database'));
    const submitting = t.submit();
    await waitFor(() => t.host.logs.some(({ event }) => event === 'smpp.ids_unstored'));
    t.clock.advance(30_000);
    expect(await submitting).toEqual([{ messageId: 'id:1', result: 'unconfirmed' }]);
  });
});

test('a close waits until the ids of an accepted message are stored', async () => {
  const slots = new MemorySlots();
  await using t = await scriptedSmpp(undefined, { host: memoryHost(slots) });
  const [begun, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.host.beforeInsert = () => {
    begun.resolve();
    return stored.promise;
  };
  const submitting = t.submit();
  await begun.promise;

  let isClosed = false;
  const closing = t.gateway.close().finally(() => (isClosed = true));
  await waitFor(() => slots.held.size === 0);
  for (let n = 0; n < 5; n += 1) await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  stored.resolve();
  await closing;

  expect(t.host.rows).toMatchObject([{ messageId: 'id:1' }]);
  expect(await submitting).toMatchObject([{ result: 'accepted' }]);
});

describe('a refused message', () => {
  test('is rejected after one segment, with the raw code', async () => {
    await using t = await scriptedSmpp((pdu, peer) => respond(peer, pdu, 0x0a));
    expect(await t.submit(LONG)).toEqual([
      {
        messageId: 'id:1',
        result: 'rejected',
        errCode: '007',
        description: 'The SMSC answered 0x0A (invalid source address)',
        gatewayCode: '0x0A',
        tryOther: true,
      },
    ]);
    expect(t.submits()).toHaveLength(1);
  });

  test('is for no other gateway once a segment was taken', async () => {
    await using t = await scriptedSmpp((pdu, peer, n) => respond(peer, pdu, n === 1 ? 0 : 0x0a, 'one'));
    const [outcome] = await t.submit(LONG);
    expect(outcome).toMatchObject({ result: 'rejected', errCode: '007' });
    expect(outcome).not.toHaveProperty('tryOther');
    await waitFor(() => t.host.rows.length === 1);
    expect(t.host.rows).toMatchObject([{ gatewayMessageId: 'one', segment: 1, segments: 3 }]);
  });

  test('for a fault of ours raises one alarm a minute', async () => {
    const settings = { enquireSeconds: 300 };
    await using t = await scriptedSmpp((pdu, peer) => respond(peer, pdu, 0x43), { settings });
    const alarms = () => t.host.logs.filter(({ event }) => event === 'smpp.request_refused');
    expect(await t.submit()).toMatchObject([{ result: 'rejected', errCode: '013' }]);
    await t.submit();
    expect(alarms()).toMatchObject([{ level: 'error', fields: { status: '0x43 (invalid esm_class)' } }]);
    t.clock.advance(60_000);
    await t.submit();
    expect(alarms()).toHaveLength(2);
  });

  test.each<[string, Partial<OutgoingSms>]>([
    ['a sender of 21 characters', { sender: 'S'.repeat(21) }],
    ['a text of 300 segments', { text: 'x'.repeat(153 * 300) }],
  ])('with %s never reaches the network', async (_what, fields) => {
    await using t = await scriptedSmpp();
    expect(await t.submit(fields)).toMatchObject([{ result: 'rejected', errCode: '013' }]);
    expect(t.submits()).toEqual([]);
  });

  test('by a fault of the SMSC is throttled twice, then rejected', async () => {
    await using t = await scriptedSmpp((pdu, peer) => respond(peer, pdu, 0x08));
    const delayed = { result: 'throttled', scope: 'message', retryAfterMs: 30_000, isFault: true };
    expect(await t.submit()).toMatchObject([delayed]);
    expect(await t.submit()).toMatchObject([delayed]);
    expect(await t.submit()).toMatchObject([{ result: 'rejected', errCode: '006', tryOther: true }]);
  });
});

test('a payload that the SMSC splits counts with all of its segments for the pace', async () => {
  const encoding = Object.assign(new EncodingSettings(), { longMessages: 'payload' });
  await using t = await scriptedSmpp(undefined, { settings: { encoding }, ratePerSecond: 4 });
  expect(await t.submit(LONG)).toMatchObject([{ result: 'accepted' }]);
  const waiting = t.submit({ messageId: 'id:2' });
  t.clock.advance(749);
  expect(t.submits()).toHaveLength(1);
  t.clock.advance(1);
  expect(await waiting).toMatchObject([{ result: 'accepted' }]);
});

describe('a delivery', () => {
  test('of a receipt is acknowledged after its report is stored', async () => {
    await using t = await scriptedSmpp((pdu, peer) => respond(peer, pdu, 0, 'abc'));
    await t.submit();
    t.peer.send({ command: 'deliver_sm', sequence: 7, message: receipt('abc') });
    await waitFor(() => acknowledged(t.peer).length === 1);
    expect(acknowledged(t.peer)).toMatchObject([{ sequence: 7, status: 0 }]);
    expect(t.reports).toMatchObject([{ messageId: 'id:1', status: 'DELIVERED', errCode: '000' }]);
  });

  test('of a receipt that follows its answer in the same chunk finds its id', async () => {
    await using t = await scriptedSmpp((pdu, peer) => {
      respond(peer, pdu, 0, 'abc');
      peer.send({ command: 'deliver_sm', sequence: 7, message: receipt('abc') });
    });
    const stored = Promise.withResolvers<void>();
    t.host.beforeInsert = () => stored.promise;
    const submitting = t.submit();
    await waitFor(() => t.submits().length === 1);
    stored.resolve();
    await submitting;
    await waitFor(() => t.reports.length === 1);
    expect(t.host.kept).toEqual([]);
  });

  test('of a receipt that matches nothing becomes an orphan', async () => {
    await using t = await scriptedSmpp();
    t.peer.send({ command: 'deliver_sm', sequence: 7, message: receipt(`\u0000${'x'.repeat(300)}`) });
    await waitFor(() => acknowledged(t.peer).length === 1);
    expect(acknowledged(t.peer)).toMatchObject([{ status: 0 }]);
    expect(t.host.kept).toMatchObject([{ status: 'DELIVERED' }]);
    expect(t.host.kept[0]!.gatewayMessageId.length).toBeLessThanOrEqual(255);
  });

  test('that cannot be stored is refused for now', async () => {
    await using t = await scriptedSmpp((pdu, peer) => respond(peer, pdu, 0, 'abc'));
    await t.submit();
    t.gateway.onReports(() => Promise.reject(new Error('no database')));
    t.peer.send({ command: 'deliver_sm', sequence: 7, message: receipt('abc') });
    await waitFor(() => acknowledged(t.peer).length === 1);
    expect(acknowledged(t.peer)).toMatchObject([{ sequence: 7, status: 0x64 }]);
  });
});

describe('an inbound message', () => {
  test('is handed over before it is acknowledged', async () => {
    await using t = await scriptedSmpp();
    const message = { ...emptyMessage(), source: '919800000001', destination: '56161' };
    t.peer.send({
      command: 'deliver_sm',
      sequence: 7,
      message: { ...message, shortMessage: Buffer.from('STOP') },
    });
    await waitFor(() => acknowledged(t.peer).length === 1);
    expect(t.inbound).toMatchObject([
      { from: '919800000001', to: '56161', content: { text: { body: 'STOP' } } },
    ]);
  });
});

describe('the queue', () => {
  test('sends codes before promotions', async () => {
    await using t = await scriptedSmpp(undefined, { ratePerSecond: 10 });
    const promotions = ['p1', 'p2', 'p3'].map((messageId) => t.submit({ messageId, type: 'PROMO' }));
    const code = t.submit({ messageId: 'code', type: 'OTP' });
    for (let sent = 1; sent < 5; sent += 1) {
      await waitFor(() => t.smsc.taken().length === sent);
      t.clock.advance(100);
    }
    await Promise.all([...promotions, code]);
    expect(t.smsc.taken()).toEqual(['p1', 'code', 'p2', 'p3']);
  });

  test('counts segments in its pace', async () => {
    await using t = await scriptedSmpp(undefined, { ratePerSecond: 2 });
    const startedAt = t.clock.now();
    const submitting = t.submit(LONG);
    for (let sent = 1; sent <= 3; sent += 1) {
      await waitFor(() => t.submits().length >= sent && t.gateway.state().detail['inFlight'] === 0);
      if (sent < 3) t.clock.advance(501);
    }
    expect(await submitting).toMatchObject([{ result: 'accepted' }]);
    expect(t.clock.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  });
});

test('a status that denies the bind makes it again, and the message is sent on the new one', async () => {
  await using t = await scriptedSmpp((pdu, peer, n) => respond(peer, pdu, n === 1 ? 0x04 : 0, 'id'));
  const submitting = t.submit();
  await waitFor(() => t.peer.received.some(({ command }) => command === 'unbind'));
  await waitFor(() => t.gateway.state().status === 'down');
  t.clock.advance(1_000);
  t.clock.advance(500);
  await waitFor(() => t.smsc.connections.length === 2);
  await waitFor(() => t.submits().length === 2);
  expect(await submitting).toMatchObject([{ result: 'accepted' }]);
});

describe('query', () => {
  test('asks by query_sm and reports the answer', async () => {
    await using t = await scriptedSmpp((pdu, peer) => respond(peer, pdu, 0, 'abc'), {
      settings: { query: true },
    });
    await t.submit();
    const querying = t.gateway.query([
      { messageId: 'id:1', sender: 'SHOP', recipient: '919800000001', gatewayMessageIds: ['abc'] },
    ]);
    const asked = () => t.peer.received.find(({ command }) => command === 'query_sm');
    await waitFor(() => asked() !== undefined);
    expect(asked()).toMatchObject({ messageId: 'abc', source: 'SHOP', sourceTon: 5, sourceNpi: 0 });
    const answer = { messageId: 'abc', finalDate: '', state: 5, errorCode: 1 };
    t.peer.send({ command: 'query_sm_resp', sequence: asked()!.sequence, ...answer });
    await querying;
    expect(t.reports).toMatchObject([{ messageId: 'id:1', status: 'FAILED', gatewayCode: '1' }]);
  });

  test('waits for promotions that are queued later', async () => {
    let answer = (): void => undefined;
    await using t = await scriptedSmpp(
      (pdu, peer, n) => {
        answer = () => respond(peer, pdu, 0, `id-${n}`);
        if (n > 1) answer();
      },
      { settings: { query: true, window: 1 } },
    );
    const first = t.submit();
    await waitFor(() => t.submits().length === 1);

    void t.gateway.query([{ messageId: 'id:0', recipient: '919800000001', gatewayMessageIds: ['abc'] }]);
    const second = t.submit({ messageId: 'id:2', type: 'PROMO' });
    answer();
    await Promise.all([first, second]);

    await waitFor(() => t.peer.received.length === 4);
    expect(t.peer.received.slice(1).map(({ command }) => command)).toEqual([
      'submit_sm',
      'submit_sm',
      'query_sm',
    ]);
  });

  test('asks nothing where the server does not allow it', async () => {
    await using t = await scriptedSmpp();
    await t.gateway.query([{ messageId: 'id:1', recipient: '91', gatewayMessageIds: ['abc'] }]);
    await t.submit();
    expect(t.peer.received.map(({ command }) => command)).toEqual(['bind_transceiver', 'submit_sm']);
  });
});

test('a query returns messages whose questions are not sent, or all without a bind', async () => {
  const submitsOnly: Parameters<typeof scriptedSmpp>[0] = (pdu, peer) =>
    pdu.command === 'submit_sm' && respond(peer, pdu, 0, 'abc');
  await using t = await scriptedSmpp(submitsOnly, { settings: { query: true, window: 1 } });
  const message = { messageId: 'id:1', recipient: '919800000001', gatewayMessageIds: ['a'] };
  const further = { ...message, messageId: 'id:2', gatewayMessageIds: ['b', 'c'] };
  await t.submit();

  const querying = t.gateway.query([message, further]);
  await waitFor(() => t.peer.received.some(({ command }) => command === 'query_sm'));
  t.clock.advance(30_000);
  expect(await querying).toEqual([further]);

  void t.gateway.close();
  expect(await t.gateway.query([message])).toEqual([message]);
});

function acknowledged({ received }: SmscConnection): Pdu[] {
  return received.filter(({ command }) => command === 'deliver_sm_resp');
}
