import { expect, test } from '@jest/globals';
import { type Service, startService } from '../support/service.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { A_QUEUE } from '../support/queue.ts';
import { TEMPLATE_SAMPLES } from '../support/template-samples.ts';

const CODES = 200;
const KILLS = 3;
/** The number of the demo account's chat account. */
const FROM = '15550100001';

test('each code gets one message per channel although otp-workers are killed between steps', async () => {
  await using service = await startService({ queue: A_QUEUE.name, apps: ['api', 'otp-worker'] });
  const configId = await addConfig(service);
  const worker = service.stack.process('otp-worker');

  const requests = Array.from({ length: CODES }, (_, i) =>
    post(service, '/v1/verify', { configId, to: String(919_800_000_100 + i * 10_001) }),
  );
  for (let kill = 0; kill < KILLS; kill += 1) {
    const stored = await countStored(service);
    await service.query(
      `UPDATE verification_step SET due_at = now() WHERE status = 'WAITING' AND random() < 0.4`,
    );
    await waitFor(async () => (await countStored(service)) > stored, {
      otherwise: 'the worker stored nothing',
    });
    await worker.crash();
    await worker.start();
  }
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(requests.map(() => 200));
  const areSent = async () =>
    (await service.query(`SELECT FROM verification WHERE status = 'SENT'`)).length === CODES;
  await waitFor(areSent, { otherwise: 'not all codes were generated' });
  await service.query(`UPDATE verification_step SET due_at = now() WHERE status = 'WAITING'`);
  const areStepsDone = async () =>
    (await service.query(`SELECT FROM verification_step WHERE status <> 'SENT'`)).length === 0;
  await waitFor(areStepsDone, { otherwise: 'not all steps were made' });

  const messages = `SELECT count(*)::integer AS messages, count(DISTINCT recipients)::integer AS numbers FROM submission GROUP BY channel`;
  expect(await service.query(messages)).toEqual(
    Array.from({ length: 2 }, () => ({ messages: CODES, numbers: CODES })),
  );
  const unknown = `SELECT FROM verification_step s LEFT JOIN submission ON submission.id = s.submission_id WHERE submission.id IS NULL`;
  expect(await service.query(unknown)).toEqual([]);
});

/** Counts the submissions that the worker has stored. */
async function countStored(service: Service): Promise<number> {
  return (await service.query('SELECT FROM submission')).length;
}

async function addConfig(service: Service): Promise<string> {
  const [account] = await service.query<{ id: string }>('SELECT id FROM chat_account');
  await post(service, '/v1/verify/policy', { maxSendsPerPrefixPerHour: null }, 'PATCH');
  const created = await post(service, '/v1/chatapp/createChatTemplate', {
    ...TEMPLATE_SAMPLES['copy_code'],
    name: 'login_code',
    chatAccountId: account!.id,
  });
  await post(service, '/v1/chatapp/reviewChatTemplate', { id: created.body.id, decision: 'approve' });
  const template = { name: 'login_code', from: FROM };
  const config = {
    name: 'login',
    channel: 'chatapp',
    template,
    fallback: { channel: 'sms', afterSeconds: 3_000 },
    ttlSeconds: 3_600,
    sender: 'SIGNALBX',
  };
  return (await post(service, '/v1/verify/configs', config)).body.data.id;
}

async function post({ stack: { apiUrl, apiKey } }: Service, path: string, body: object, method = 'POST') {
  const headers = { apikey: apiKey, 'content-type': 'application/json' };
  const response = await fetch(apiUrl + path, { method, headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as { id: string; data: { id: string } } };
}
