import { randomBytes } from 'node:crypto';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { describe, expect, test } from '@jest/globals';
import { WAIT } from '../../test/gateway.conformance.ts';
import { hurriedClock } from '../../test/hurried-clock.ts';
import { type OpenSmpp, openBound, smsOf } from '../../test/smpp-gateway.ts';
import { type Smsc, type SmscOptions, startSmsc } from '../../test/smsc.ts';
import type { Clock } from './clock.ts';

/*
 * Conservation: each message ends accepted, unconfirmed, rejected, or throttled and submitted again; a text is at the
 * server at most once, unless the server refused it in between.
 */

/** Enough for a server that is unavailable most of the time. */
const ROUNDS = 4_000;

interface Load {
  outcomes: Map<string, SubmitOutcome['result']>;
  /** Messages that never got a final outcome. */
  left: string[];
}

/** Submits messages in batches of 20, and those that are throttled again, as the dispatcher does. */
async function submitAll(
  { gateway, clock }: OpenSmpp & { clock: Clock },
  messages: number,
  deadlineMs = 30_000,
  rounds = ROUNDS,
): Promise<Load> {
  const outcomes: Load['outcomes'] = new Map();
  let left = Array.from({ length: messages }, (_, i) => `message-${i}`);
  for (let round = 0; left.length > 0 && round < rounds; round += 1) {
    const batch = left.splice(0, 20).map((messageId) => smsOf({ messageId }));
    const settled = await gateway.submit(batch, { ...WAIT, deadlineMs });
    expect(settled.map(({ messageId }) => messageId)).toEqual(batch.map(({ messageId }) => messageId));
    for (const { messageId, result } of settled) {
      if (result === 'throttled') left.push(messageId);
      else outcomes.set(messageId, result);
    }
    const delays = settled.map((outcome) => (outcome.result === 'throttled' ? outcome.retryAfterMs : 0));
    const { promise: passed, resolve } = Promise.withResolvers<void>();
    clock.after(Math.min(...delays), resolve);
    await passed;
  }
  return { outcomes, left };
}

async function setup(options: SmscOptions, times = 20) {
  const smsc = await startSmsc(options);
  const clock = hurriedClock(times);
  const open = await openBound({ port: smsc.port, clock });
  return {
    smsc,
    clock,
    ...open,
    async [Symbol.asyncDispose]() {
      await smsc[Symbol.asyncDispose]();
      await open.gateway.close();
    },
  };
}

function count({ outcomes }: Load, result: SubmitOutcome['result']): number {
  return [...outcomes.values()].filter((each) => each === result).length;
}

/** Expects that the server has each text at most once, and each accepted one. */
function expectConserved(load: Load, smsc: Smsc, messages: number): void {
  const taken = smsc.taken();
  expect(new Set(taken).size).toBe(taken.length);
  expect(load.outcomes.size + load.left.length).toBe(messages);
  for (const [messageId, result] of load.outcomes)
    if (result === 'accepted') expect(taken).toContain(messageId);
  for (const messageId of load.left) expect(taken).not.toContain(messageId);
}

describe('no message is lost or sent twice', () => {
  test('by a server that restarts again and again', async () => {
    let seen = 0;
    await using t = await setup(
      {
        script: (pdu, peer) => {
          if (pdu.command === 'submit_sm') seen += 1;
          if (pdu.command === 'submit_sm' && seen % 37 === 0) return void peer.socket.destroy();
          peer.answer(pdu);
        },
      },
      200,
    );
    const load = await submitAll(t, 500);
    expectConserved(load, t.smsc, 500);
    expect(load.left).toEqual([]);
    expect(count(load, 'unconfirmed')).toBeGreaterThan(0);
    expect(count(load, 'accepted') + count(load, 'unconfirmed')).toBe(500);
  });

  test('by a server that answers in any order, some twice and some never', async () => {
    const waiting: (() => void)[] = [];
    await using t = await setup({
      script: (pdu, peer) => {
        if (pdu.command !== 'submit_sm') return peer.answer(pdu);
        if (pdu.sequence % 23 !== 0) waiting.push(() => peer.answer(pdu));
        if (pdu.sequence % 7 === 0) waiting.push(() => peer.answer(pdu));
        if (waiting.length >= 5) for (const answer of waiting.splice(0).toReversed()) answer();
        else setImmediate(() => waiting.splice(0).forEach((answer) => answer()));
      },
    });
    const load = await submitAll(t, 300, 2_000);
    expectConserved(load, t.smsc, 300);
    expect(load.left).toEqual([]);
    expect(count(load, 'unconfirmed')).toBeGreaterThan(0);
    expect(count(load, 'accepted')).toBeGreaterThan(200);
  });
});

describe('no message is sent twice', () => {
  test('by a server that stops to read and to answer', async () => {
    let seen = 0;
    await using t = await setup(
      {
        script: (pdu, peer) => {
          if (pdu.command === 'submit_sm') seen += 1;
          if (seen < 30) return peer.answer(pdu);
          peer.socket.pause();
        },
      },
      60,
    );
    const load = await submitAll(t, 40, 20_000, 20);
    for (const [, result] of load.outcomes) expect(['accepted', 'unconfirmed']).toContain(result);
    expect(count(load, 'accepted')).toBe(29);
    expect(load.outcomes.size + load.left.length).toBe(40);
    const taken = t.smsc.taken();
    expect(new Set(taken).size).toBe(taken.length);
  });

  test('by a server that throttles for long', async () => {
    let seen = 0;
    await using t = await setup(
      {
        script: (pdu, peer) => {
          if (pdu.command !== 'submit_sm') return peer.answer(pdu);
          seen += 1;
          const status = seen < 200 ? 0x58 : 0;
          peer.send({ command: 'submit_sm_resp', sequence: pdu.sequence, status, messageId: 'x', tlvs: [] });
        },
      },
      40,
    );
    const load = await submitAll(t, 60);
    expect(load.left).toEqual([]);
    expect(count(load, 'accepted')).toBe(60);
    expect(t.smsc.taken()).toHaveLength(199 + 60);
  });
});

test('garbage ends the session, and the gateway binds again', async () => {
  let sent = 0;
  await using t = await setup({
    script: (pdu, peer) => {
      if (pdu.command !== 'submit_sm' || sent >= 50) return peer.answer(pdu);
      sent += 1;
      peer.socket.write(randomBytes(1 + sent * 40));
    },
  });
  const load = await submitAll(t, 150, 3_000);
  expectConserved(load, t.smsc, 150);
  expect(count(load, 'accepted')).toBeGreaterThan(50);
  expect(t.smsc.connections.length).toBeGreaterThan(1);
});

test('a minute of garbage leaves memory and state in order', async () => {
  await using smsc = await startSmsc({
    script: (pdu, peer) => {
      if (pdu.command !== 'bind_transceiver') return;
      const huge = Buffer.alloc(65_536, 1);
      huge.writeUInt32BE(65_536, 0);
      huge.writeUInt32BE(5, 4);
      peer.answer(pdu);
      for (let i = 0; i < 200; i += 1) peer.socket.write(huge);
      peer.socket.write(randomBytes(1_000));
    },
  });
  const before = process.memoryUsage().rss;
  const clock = hurriedClock(20);
  await using t = await openBound({ port: smsc.port, clock });
  const outcomes = await submitAll({ ...t, clock }, 20, 1_000, 20);
  expect(outcomes.outcomes.size + outcomes.left.length).toBe(20);
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
});
