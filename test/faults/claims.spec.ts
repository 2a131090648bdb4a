import { expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { SMS_QUEUES } from '@signalbox/queues/definitions';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { callApi } from '../support/call-api.ts';
import { A_QUEUE, openQueue } from '../support/queue.ts';
import { RECOVERY_MS, type Service, startService } from '../support/service.ts';

/** The simulator answers for this number after SIMULATOR_DELAY_MS. */
const SLOW = '919800000009';

test('a gateway that takes longer than the lease gets each message once', async () => {
  await using service = await startSlow((LEASE_SECONDS + 7) * 1_000);

  await send(service);

  await untilSent(service, (LEASE_SECONDS + 7) * 1_000 + RECOVERY_MS);
  expect(await service.listSubmittedAgain()).toEqual([]);
});

test('a message whose submit ends while Postgres is down is submitted once despite retry jobs', async () => {
  await using service = await startSlow(4_000, { ownPostgres: true });

  await send(service);
  await waitFor(async () => (await service.listMessages('starts = 1')).length === 1, {
    timeoutMs: RECOVERY_MS,
    otherwise: 'the message was not claimed',
  });
  const [submission] = await service.query<{ id: string }>('SELECT id FROM submission');
  await service.stack.postgres?.process.stop();
  await delay((LEASE_SECONDS + 5) * 1_000);
  await using _retries = await startRetries(service, submission!.id);
  await service.stack.postgres?.process.start();

  await untilSent(service, RECOVERY_MS);
  expect(await service.listSubmittedAgain()).toEqual([]);
});

function startSlow(delayMs: number, { ownPostgres = false } = {}): Promise<Service> {
  return startService({
    queue: A_QUEUE.name,
    ownPostgres,
    apps: ['api', 'sms-worker'],
    env: { SIMULATOR_DELAY_MS: String(delayMs) },
  });
}

async function send({ stack }: Service): Promise<void> {
  const sms = { sender: 'SIGNALBX', type: 'TRANS', to: SLOW, text: 'Your order has shipped.' };
  await callApi(stack, 'POST', '/v1/sms', sms);
}

/** Enqueues retries of a submission until it is disposed of. */
async function startRetries({ stack }: Service, id: string): Promise<AsyncDisposable> {
  const lane = await openQueue(SMS_QUEUES.TRANS, { QUEUE_URL: stack.queueUrl, QUEUE_PREFIX: 'signalbox' });
  const timer = setInterval(() => lane.enqueueJobs([id], { isRetry: true }), 20);
  return {
    [Symbol.asyncDispose]: () => {
      clearInterval(timer);
      return lane.close();
    },
  };
}

/** Without Postgres the question fails, and is asked again. */
async function untilSent(service: Service, timeoutMs: number): Promise<void> {
  const isSent = () =>
    service.listMessages("status = 'SENT'").then(
      ({ length }) => length === 1,
      () => false,
    );
  await waitFor(isSent, { timeoutMs, otherwise: 'the message was not recorded as sent' });
}
