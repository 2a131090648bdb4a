import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { SETTINGS, type Vendor, startVendor } from '../../libs/gateways/test/http-vendor.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { hang } from '../support/hang.ts';
import { A_QUEUE } from '../support/queue.ts';
import { type Service, startService } from '../support/service.ts';

const MESSAGES = 60;

/** A little less than the time in which a gateway has to return its outcomes. */
const TIMEOUT_MS = 29_000;

/**
 * Postgres hangs for longer than workers need to notice it, and for longer than a batch lives that nobody renews.
 * Statements that were sent before may wait for the end of both, because they fail only after 10 s.
 */
test.each([4_300, 9_000])(
  'messages in flight while Postgres hangs for %d ms get their answer',
  async (stallMs) => {
    const { take, answerAll } = patientAnswers();
    await using vendor = await startVendor((_, response) => take(response));
    await using service = await startService({ queue: A_QUEUE.name, ownPostgres: true });
    await connect(service, vendor);
    await service.startTwin('sms-worker'); // each looks for batches of the other
    await using tenant = await service.createTenant();
    await using load = tenant.startLoad({ callsPerSecond: 20 });
    await load.more(MESSAGES);
    await load.stop();
    await waitFor(() => vendor.requests.length === load.accepted.size, { otherwise: 'a message waits' });

    const wake = hang(service.stack.postgres?.process.pid ?? 0);
    await delay(stallMs).finally(wake);
    await untilSearched(service);
    await untilSearched(service); // by both of them: neither searches twice before the other
    answerAll();

    await waitFor(async () => (await service.listMessages(`status = 'PENDING'`)).length === 0, {
      otherwise: 'the answers were not recorded',
    });
    expect(await service.query(`SELECT * FROM routing_event WHERE reason LIKE '%died%'`)).toEqual([]);
    expect(vendor.requests).toHaveLength(load.accepted.size);
  },
);

/** Resolves when a worker has ended a batch of a dead worker, which it looks for every three seconds. */
async function untilSearched(service: Service): Promise<void> {
  const id = randomUUID();
  await service.query(
    `INSERT INTO submit_batch (id, gateway, lane, submission_ids, ns, attempts, alive_until)
     VALUES ('${id}', 'first', 'TRANS', '{}', '{}', '{}', now() - interval '1 second')`,
  );
  const isEnded = async (): Promise<boolean> =>
    (await service.query(`SELECT FROM submit_batch WHERE id = '${id}'`)).length === 0;
  await waitFor(isEnded, { otherwise: 'the batch of a dead worker was not ended' });
}

/** Answers no request before `answerAll`. */
function patientAnswers(): { take: (response: ServerResponse) => void; answerAll: () => void } {
  let isPatient = true;
  const open: ServerResponse[] = [];
  const answer = (response: ServerResponse): void => void response.end(JSON.stringify({ id: randomUUID() }));
  return {
    take: (response) => (isPatient ? open.push(response) : answer(response)),
    answerAll: () => {
      isPatient = false;
      open.forEach(answer);
    },
  };
}

/** Makes the vendor two gateways, because a worker that has a choice does not wait for one before its next batch. */
async function connect(service: Service, { origin }: Vendor): Promise<void> {
  const { method, url, body } = SETTINGS.request;
  const settings = JSON.stringify({
    baseUrl: origin,
    request: { method, url, body },
    answer: SETTINGS.answer,
    allowPrivateNetwork: true,
    timeoutMs: TIMEOUT_MS,
    concurrency: MESSAGES * 2,
  });
  await service.query(
    `INSERT INTO gateway (id, name, channel, kind, settings, enabled, paused)
     VALUES ('${randomUUID()}', 'first', 'sms', 'http', '${settings}', true, false),
            ('${randomUUID()}', 'second', 'sms', 'http', '${settings}', true, false)`,
  );
  const states = () => service.query('SELECT FROM gateway_state');
  await waitFor(async () => (await states()).length === 2, { otherwise: 'the gateways were not opened' });
}
