import { expect, test } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { describeOnEachQueue } from '../support/queue.ts';
import { startReceiver } from '../support/receiver.ts';
import { startPipeline } from '../support/pipeline.ts';

const PUSHES = 40;

describeOnEachQueue((queue) => {
  test('two workers together keep the limit of an endpoint and call once for each push', async () => {
    await using p = await startPipeline({
      queue,
      workers: ['sms', 'dlr', 'dlr'],
      env: { SIMULATOR_DELAY_MS: '0' },
    });
    let inFlight = 0;
    let maxInFlight = 0;
    await using receiver = await startReceiver((_, response) => {
      maxInFlight = Math.max(maxInFlight, (inFlight += 1));
      setTimeout(() => {
        inFlight -= 1;
        response.end();
      }, 20);
    });
    await untilBothAreListed(p.db);
    expect(
      (await p.post('/v1/webhooks', { name: 'one at a time', endPoint: receiver.url, maxInFlight: 1 }))
        .status,
    ).toBe(201);

    const to = Array.from({ length: PUSHES }, (_, i) => String(919800001000 + i));
    for (let call = 0; call < 4; call += 1) {
      await p.post('/v1/sms', {
        sender: 'SIGNALBX',
        to: to.slice(call * 10, call * 10 + 10),
        text: 'Hello',
        type: 'TRANS',
      });
    }

    await receiver.until(() => receiver.messageIds().size === PUSHES);
    expect(maxInFlight).toBe(1);
    expect(receiver.received).toHaveLength(PUSHES);
  });
});

/** Resolves when each worker has registered again after both had registered, and so knows the other. */
async function untilBothAreListed(db: EntityManager): Promise<void> {
  const count = async (since: Date): Promise<number> =>
    (await db.query(`SELECT FROM live_worker WHERE fleet = 'dlr' AND seen_at > $1`, [since])).length;
  const options = { otherwise: 'the workers did not find each other' };
  await waitFor(async () => (await count(new Date(0))) === 2, options);
  const [{ now }] = await db.query('SELECT now()');
  await waitFor(async () => (await count(now as Date)) === 2, options);
}
