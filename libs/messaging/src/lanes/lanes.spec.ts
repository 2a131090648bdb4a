import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { listLaneBacklogs } from '@signalbox/database/ops/lanes';
import { discardParked, freeParked, listParked } from '@signalbox/database/ops/parked';
import { countParked } from '@signalbox/database/ops/starts';
import { findProgress } from '@signalbox/database/submissions/progress';
import {
  type NewSubmission,
  fanOut,
  insertSubmissions,
  makeDueReady,
} from '@signalbox/database/submissions/submissions';
import type { SmsLane } from '@signalbox/domain/lane';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { Queues } from '@signalbox/queues/open-queues';
import { accept, newGateway, newSubmission, storeReadyBatches } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { UP_ELSEWHERE, openSms } from '../../test/open-sms.ts';

/** Statements that damage a submission, so that it fails a round. */
const DAMAGE = {
  'has a recipient that is null': `UPDATE submission SET recipients = '{NULL}' WHERE id = $1`,
  'has its message already': `
    INSERT INTO message (submission_id, n, account_id, lane, recipient, status, credits, claimed_until, due_at)
    SELECT id, 1, account_id, lane, recipients[1], 'FAILED', 1, now(), NULL FROM submission WHERE id = $1`,
};

const ANY = { accountId: null, gateway: null };

const PAUSED = { get: () => ({ admin: { isPaused: async () => true } }) } as unknown as Queues;

test('a job of a lane without a backlog is dispatched as it runs', async () => {
  await using t = await setup();
  const { id } = await accept(t.db);

  expect(await t.lanes.serve('TRANS', { ids: [id] }, 0)).toMatchObject({ claimed: 1, submitted: 1 });
});

test('jobs that run at the same time share a dispatch', async () => {
  await using t = await setup();
  const submissions = [await accept(t.db), await accept(t.db), await accept(t.db)];

  const served = await Promise.all(submissions.map(({ id }) => t.lanes.serve('TRANS', { ids: [id] }, 0)));

  expect(served).toEqual(Array(3).fill(expect.objectContaining({ submitted: 3 })));
});

test('the chunk of a large send shares no dispatch with other jobs', async () => {
  await using t = await setup();
  const [large, small] = [await accept(t.db), await accept(t.db)];

  const served = await Promise.all([
    t.lanes.serve('TRANS', { ids: [large.id], isChunk: true }, 0),
    t.lanes.serve('TRANS', { ids: [small.id] }, 0),
  ]);

  expect(served).toEqual(Array(2).fill(expect.objectContaining({ submitted: 1 })));
});

test('an old job leaves its submissions to rounds', async () => {
  await using t = await setup();
  const { id } = await accept(t.db);

  expect(await t.lanes.serve('TRANS', { ids: [id] }, 1_000)).toEqual({ leftToRounds: 1 });

  await t.untilLogged('lane.served');
  expect(t.gateway.submitted.map(({ messageId }) => messageId)).toEqual([`${id}:1`]);
});

test('a large send is delayed between its rounds while another account is active', async () => {
  await using t = await setup();
  t.clock.now = () => 0;
  t.throttle.noteActivity(randomUUIDv7());
  const large = await accept(t.db, { recipients: numbers(3_000) });
  const submittedOf = (id: string): number =>
    t.gateway.submitted.filter((each) => each.messageId.startsWith(id)).length;

  await t.lanes.serve('TRANS', { ids: [large.id] }, 0); // a chunk of 500
  await t.untilLogged('lane.served'); // and a round of 200
  const small = await accept(t.db);
  await t.lanes.serve('TRANS', { ids: [small.id] }, 1_000);
  await waitFor(() => submittedOf(small.id) === 1, { otherwise: 'the other account waits too' });
  expect(submittedOf(large.id)).toBe(700);

  t.clock.now = () => 1_000; // nobody else is active any more
  await t.lanes.serve('TRANS', { ids: [large.id] }, 1_000);
  await waitFor(() => submittedOf(large.id) === 3_000, { otherwise: 'the large send is delayed' });
});

test('one-time passwords of a delayed account are sent', async () => {
  await using t = await setup();
  t.clock.now = () => 0;
  const accountId = randomUUIDv7();
  t.throttle.noteActivity(randomUUIDv7());
  t.throttle.noteActivity(accountId);
  t.throttle.charge(accountId, 1_000);
  const { id } = await accept(t.db, { accountId, lane: 'OTP' });

  await t.lanes.serve('OTP', { ids: [id] }, 1_000);

  await waitFor(() => t.gateway.submitted.length === 1, { otherwise: 'the one-time password is delayed' });
  expect(t.throttle.delayMs(accountId)).toBeGreaterThan(0);
});

test('an account whose delay ends while a round leaves it out is served next', async () => {
  await using t = await setup();
  t.clock.now = () => 0;
  const accountId = randomUUIDv7();
  t.throttle.noteActivity(randomUUIDv7());
  t.throttle.noteActivity(accountId);
  t.throttle.charge(accountId, 1_000);
  const { id } = await accept(t.db, { accountId });
  const claimRound = t.channel.claimRound.bind(t.channel);
  t.channel.claimRound = async (...args) => {
    const round = await claimRound(...args);
    t.clock.now = () => 10_000;
    return round;
  };

  await t.lanes.serve('TRANS', { ids: [id] }, 1_000);

  await waitFor(() => t.gateway.submitted.length === 1, {
    timeoutMs: 20_000,
    otherwise: 'the account waits',
  });
  expect(t.throttle.listDelayed().size).toBe(0);
});

test('a new send shares the first round with many older, unlisted ones of another account', async () => {
  await using t = await setup();
  await storeReadyBatches(t.db, 4, 2_500);
  const submission = newSubmission();
  await insertSubmissions(t.db, [submission]);

  await t.lanes.serve('TRANS', { ids: [submission.id] }, 1_000);

  await t.untilLogged('lane.served');
  expect(t.gateway.submitted.map(({ messageId }) => messageId)).toContain(`${submission.id}:1`);
});

test('a large send of the only active account is not delayed', async () => {
  await using t = await setup();
  t.clock.now = () => 0;
  const { id } = await accept(t.db, { recipients: numbers(3_000) });

  await t.lanes.serve('TRANS', { ids: [id] }, 1_000);

  await waitFor(() => t.gateway.submitted.length === 3_000, { otherwise: 'the large send is delayed' });
  expect(t.throttle.listDelayed().size).toBe(0);
});

test('a job of a paced lane leaves its submissions to rounds', async () => {
  await using t = await openSms();
  const { id } = await accept(t.db);

  expect(await t.lanes.serve('TRANS', { ids: [id] }, 0)).toEqual({ leftToRounds: 1 });
  await t.lanes.close();
});

test('a retry is dispatched as it runs, whatever the backlog', async () => {
  await using t = await setup();
  const { id } = await accept(t.db);
  await fanOut(t.db, [id], LEASE_SECONDS); // by a worker that died
  await t.db.query('UPDATE message SET claimed_until = now()');

  expect(await t.lanes.serve('TRANS', { ids: [id], isRetry: true }, 60_000)).toMatchObject({ submitted: 1 });
});

test('retry jobs share a dispatch of as many submissions as one claim takes', async () => {
  await using t = await setup();
  const submissions = Array.from({ length: 3 * 250 }, () => newSubmission());
  await insertSubmissions(t.db, submissions);
  const ids = submissions.map(({ id }) => id);
  await fanOut(t.db, ids, 0); // by a worker that died

  const served = await Promise.all(
    [0, 250, 500].map((from) =>
      t.lanes.serve('TRANS', { ids: ids.slice(from, from + 250), isRetry: true }, 0),
    ),
  );

  expect(served).toMatchObject([{ claimed: 500 }, { claimed: 500 }, { claimed: 250 }]);
  expect(t.jobs).toEqual([]);
});

test('passes that reach their limit are followed by shares, in turn, of all accounts', async () => {
  await using t = await openSms();
  const at = (sendAt: Date, accountId: string): NewSubmission =>
    newSubmission({ accountId, sendAt, waits: true });
  const bulk = randomUUIDv7();
  const sends = Array.from({ length: 10_001 }, () => at(new Date(Date.now() - 10_000), bulk));
  const others = Array.from({ length: 250 }, () => {
    const accountId = randomUUIDv7();
    return Array.from({ length: 26 }, () => at(new Date(Date.now() - 5_000), accountId));
  });
  await insertSubmissions(t.db, [...sends, ...others.flat()]);
  const countReady = async (): Promise<number> =>
    (await t.db.query(`SELECT DISTINCT account_id FROM ready_sms WHERE account_id <> $1`, [bulk])).length;

  await t.lanes.wakeDue(PAUSED);
  const first = await countReady();
  await t.lanes.wakeDue(PAUSED);

  expect([first, await countReady()]).toEqual([199, 250]);
});

test.each(
  [0, 1_000].flatMap((waitedMs) =>
    Object.entries(DAMAGE).map(([name, damage]) => [name, waitedMs, damage] as const),
  ),
)(
  'a submission that %s is set aside, and those of its job of %i ms are sent',
  async (_name, waitedMs, damage) => {
    await using t = await setup();
    const accounts = Array.from({ length: 4 }, () => randomUUIDv7());
    const submissions = [...accounts, ...accounts, ...accounts].map((accountId) =>
      newSubmission({ accountId }),
    );
    await insertSubmissions(t.db, submissions);
    const ids = submissions.map(({ id }) => id);
    const [bad] = ids.splice(5, 1) as [string];
    await t.db.query(damage, [bad]);

    await t.lanes.serve('TRANS', { ids: [bad, ...ids] }, waitedMs);

    await t.untilLogged('lane.submission_refused');
    await waitFor(() => t.gateway.submitted.length === ids.length, { otherwise: 'the others are not sent' });
    await t.lanes.close();
    expect(t.gateway.submitted.map(({ messageId }) => messageId).toSorted()).toEqual(
      ids.map((id) => `${id}:1`).toSorted(),
    );
    expect(await t.db.query('SELECT id FROM submission WHERE waits')).toEqual([{ id: bad }]);
    expect(await listParked(t.db, 'submission', ANY, 10)).toMatchObject([
      { id: bad, problem: expect.stringContaining('Error') },
    ]);
    expect(await t.db.query('SELECT FROM ready_sms')).toEqual([]);
  },
);

test('a submission that was set aside waits until it is freed or discarded', async () => {
  await using t = await setup();
  const { id, accountId } = await accept(t.db);
  const [recipients] = await t.db.query('SELECT recipients FROM submission');
  await t.db.query(`UPDATE submission SET recipients = '{NULL}'`);
  const serve = async (): Promise<void> => {
    await makeDueReady(t.db, 'sms');
    await t.lanes.serve('TRANS', { ids: [id] }, 0);
  };
  await serve();
  await t.untilLogged('lane.submission_refused');
  await waitFor(async () => (await countParked(t.db)).submission === 1);
  expect(await listLaneBacklogs(t.db, 10)).toEqual([]);

  expect(await freeParked(t.db, 'submission', [{ id, n: 0 }])).toEqual([{ id, n: 0 }]);
  // a pass skips a submission that a round has locked, and makes it ready the next time
  await waitFor(async () => (await serve(), (await countParked(t.db)).submission === 1));
  await t.db.query(`UPDATE submission SET recipients = $1`, [recipients.recipients]);
  await makeDueReady(t.db, 'sms');
  expect(t.gateway.submitted).toEqual([]);

  const reason = { reason: 'damaged', actor: 'cli' };
  expect(await discardParked(t.db, 'submission', [{ id, n: 0 }], reason)).toMatchObject([{ id }]);
  await serve();
  await t.lanes.close();
  expect([t.gateway.submitted, (await countParked(t.db)).submission]).toEqual([[], 0]);
  expect(await findProgress(t.db, accountId, 'sms', id)).toMatchObject({ cancelledAt: expect.any(Date) });
});

test('a round that fails is logged, and close ends the loop', async () => {
  await using t = await setup();
  const { id } = await accept(t.db);
  await t.db.query('ALTER TABLE submission RENAME TO missing');

  await t.lanes.serve('TRANS', { ids: [id] }, 1_000);

  await t.untilLogged('lane.failed');
  await t.lanes.close();
  expect(await t.statuses()).toEqual([]);
});

test('the lanes whose queue is paused are known', async () => {
  await using t = await setup();
  const queues = {
    get: ({ name }: { name: string }) => ({ admin: { isPaused: async () => name === 'sms-promo' } }),
  };

  await t.lanes.wakeStarved(queues as unknown as Queues);

  expect(t.lanes.paused).toEqual(['PROMO']);
});

test('a released code does not wait for released messages of another lane', async () => {
  await using t = await setup();
  t.gateways.follow([newGateway('fake')]);
  t.router.followOthers([UP_ELSEWHERE]);
  const release = async (lane: SmsLane): Promise<void> => {
    t.gateway.status = 'down';
    await t.dispatcher.dispatch(lane, [(await accept(t.db, { lane })).id]);
    t.gateway.status = 'up'; // as in the other worker
  };
  const answer = Promise.withResolvers<void>();
  t.gateway.busy = answer.promise;
  await release('PROMO');
  const promotion = t.lanes.takePinned(['fake']);
  await waitFor(() => t.gateway.submitted.length === 1);

  t.gateway.busy = undefined;
  await release('OTP');
  const both = t.lanes.takePinned(['fake']);

  await waitFor(() => t.gateway.submitted.length === 2, { otherwise: 'the code waits' });
  expect(await t.statuses()).toContain('PENDING');
  answer.resolve();
  await Promise.all([promotion, both]);
  expect(await t.statuses()).toEqual(['SENT', 'SENT']);
});

test('a lane of another channel is refused', async () => {
  await using t = await setup();
  expect(() => t.lanes.serve('CHAT', { ids: [] }, 0)).toThrow('lane CHAT is not of channel sms');
});

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, i) => String(919_800_000_000 + i));
}

/** Opens the lanes at full batch size, so that the pace is free. */
async function setup() {
  const t = await openSms();
  for (let batch = 0; batch < 20; batch += 1)
    t.pace.learn({ submitted: t.pace.batch.messages, pauseMs: 0, gatewayMs: 1 });
  return {
    ...t,
    untilLogged: async (event: string) => {
      await waitFor(() => t.lines.some((line) => line.event === event), {
        otherwise: `${event} was not logged`,
      });
      expect(t.lines).toContainEqual(expect.objectContaining({ event, lane: 'TRANS' }));
    },
    [Symbol.asyncDispose]: async () => {
      await t.lanes.close();
      await t[Symbol.asyncDispose]();
    },
  };
}
