import { expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { WAIT } from '../../test/gateway.conformance.ts';
import { ManualClock } from '../../test/manual-clock.ts';
import { openBound, smsOf } from '../../test/smpp-gateway.ts';
import { startSmsc } from '../../test/smsc.ts';

/** A gateway whose SMSC binds it, answers enquire_link, and answers messages only while `answers` is true. */
async function setup() {
  const smsc = await startSmsc({
    script: (pdu, peer) => {
      if (pdu.command !== 'submit_sm' || peers.answers) peer.answer(pdu);
    },
  });
  const peers = { answers: false };
  const clock = new ManualClock();
  const t = await openBound({ port: smsc.port, clock, settings: { trace: true } });
  const submit = (...ids: string[]) =>
    t.gateway.submit(
      ids.map((messageId) => smsOf({ messageId })),
      WAIT,
    );
  const traced = (command: string) =>
    t.host.logs.filter(({ fields }) => 'command' in fields && fields.command === command).length;
  /** Lets time pass, in which the SMSC answers each enquire_link. */
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 5) {
      clock.advance(5_000);
      await waitFor(() => traced('enquire_link_resp') === traced('enquire_link'));
    }
  };
  /** Submits messages, lets time pass, and returns their outcomes. */
  const submitInVain = async (seconds: number, ...ids: string[]) => {
    const before = smsc.taken().length;
    const outcomes = submit(...ids);
    await waitFor(() => smsc.taken().length > before);
    await pass(seconds);
    return (await outcomes).map(({ result }) => result);
  };
  return {
    ...t,
    smsc,
    peers,
    clock,
    submit,
    pass,
    submitInVain,
    async [Symbol.asyncDispose]() {
      await smsc[Symbol.asyncDispose]();
      clock.advance(10_000);
      await t.gateway.close();
    },
  };
}

test('an SMSC that answers no message is down, is tested with one, and is up after an answer', async () => {
  await using t = await setup();
  expect(await t.submitInVain(70, 'id:1', 'id:2')).toEqual(['unconfirmed', 'unconfirmed']);
  expect(t.gateway.state()).toMatchObject({
    status: 'down',
    reason: expect.stringMatching(
      /^The SMSC takes messages and answered none of them within 60 s: .* with one message at [0-9:]{8} UTC\.$/,
    ),
    detail: { bound: 1 },
  });
  expect(await t.submit('id:3')).toMatchObject([{ result: 'throttled', reason: t.gateway.state().reason }]);

  await t.pass(30);
  expect(t.gateway.state()).toMatchObject({ status: 'down', detail: { takes: 'one' } });
  expect(await t.submitInVain(40, 'id:4', 'id:5')).toEqual(['unconfirmed', 'throttled']);
  expect(t.gateway.state().detail).not.toHaveProperty('takes');

  await t.pass(30);
  t.peers.answers = true;
  expect(await t.submit('id:6', 'id:7')).toMatchObject([{ result: 'accepted' }, { result: 'throttled' }]);
  expect(t.gateway.state().status).toBe('up');
  expect(await t.submit('id:7')).toMatchObject([{ result: 'accepted' }]);
  expect(t.smsc.taken()).toEqual(['id:1', 'id:2', 'id:4', 'id:6', 'id:7']);
  const changes = t.host.logs.filter(({ event }) => event === 'smpp.state_changed');
  expect(changes).toMatchObject([
    { fields: { status: 'up' } },
    { fields: { status: 'down', reason: expect.stringContaining('answered none of them') } },
    { fields: { status: 'up' } },
  ]);
});

test('an SMSC that answers other messages stays up when one gets no answer', async () => {
  await using t = await setup();
  const lost = t.submit('id:1');
  await waitFor(() => t.smsc.taken().length === 1);
  await t.pass(20);
  t.peers.answers = true;
  await t.submit('id:2');
  await t.pass(45);

  expect(await lost).toMatchObject([{ result: 'unconfirmed' }]);
  expect(t.gateway.state().status).toBe('up');
});
