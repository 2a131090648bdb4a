import { expect, test } from '@jest/globals';
import { insertSubmissions } from '@signalbox/database/submissions/submissions';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { describeOnEachQueue } from '../support/queue.ts';
import { newChat } from '../support/rows.ts';
import { startPipeline } from '../support/pipeline.ts';

const DEMO_SENDER = '15550100001';
const PER_SECOND = 80;
const BURST = 20;

describeOnEachQueue((queue) => {
  test('two workers together keep the rate of a sender, and a code overtakes its backlog', async () => {
    await using p = await startPipeline({
      queue,
      env: { SIMULATOR_DELAY_MS: '0' },
      workers: ['chatapp', 'chatapp'],
    });
    const { db } = p;
    const [demo] = await db.query('SELECT account_id AS "accountId" FROM chat_sender WHERE msisdn = $1', [
      DEMO_SENDER,
    ]);
    const mine = { accountId: demo.accountId as string, sender: DEMO_SENDER, waits: true };
    const backlog = Array.from({ length: 400 }, (_, i) =>
      newChat({ ...mine, recipients: [String(919811101000 + i)] }),
    );
    const countSent = async (lane: string): Promise<number> =>
      (
        await db.query(
          'SELECT count(*)::integer AS count FROM submission WHERE lane = $1 AND fanned_out_at IS NOT NULL',
          [lane],
        )
      )[0].count;

    await insertSubmissions(db, backlog);
    await waitFor(async () => (await countSent('CHAT')) > 0, {
      otherwise: 'nothing was sent',
    });
    await insertSubmissions(db, [newChat({ ...mine, lane: 'CHAT_OTP' })]);
    await waitFor(async () => (await countSent('CHAT_OTP')) === 1, {
      otherwise: 'the code was not sent',
    });
    expect(await countSent('CHAT')).toBeLessThan(400);
    await waitFor(async () => (await countSent('CHAT')) > 160, {
      otherwise: 'the backlog stopped',
    });

    const [{ maxPerSecond }] = await db.query(
      `SELECT max(count)::integer AS "maxPerSecond" FROM submission s CROSS JOIN LATERAL (
         SELECT count(*) FROM submission o WHERE o.fanned_out_at >= s.fanned_out_at AND o.fanned_out_at < s.fanned_out_at + interval '1 second') AS o`,
    );
    expect(maxPerSecond).toBeGreaterThan(PER_SECOND / 2);
    expect(maxPerSecond).toBeLessThanOrEqual(PER_SECOND + BURST + 1);
  });
});
