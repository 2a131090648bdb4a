import { randomUUIDv7 } from 'node:crypto';
import { insertInbounds } from '@signalbox/database/chat/inbound-messages';
import { insertInboundSms } from '@signalbox/database/gateways/inbound-sms';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { newInbound } from '@signalbox/test/rows';
import { CONFIG_ID, VERIFY_ID } from '../src/docs/example-ids.ts';
import { GATEWAY_NAME } from '../src/gateways/gateways.examples.ts';
import { QUEUE_NAME } from '../src/queues/queues.examples.ts';
import type { ApiUnderTest } from './api-under-test.ts';

/** Stores one entity of each kind. @returns the path of an operation on them */
export async function storeEntities(
  t: ApiUnderTest,
  chatTemplate: string,
): Promise<(path: string) => string> {
  const sent = await t.call({
    body: { sender: 'SIGNALBX', to: '919812345678', text: 'Hello', type: 'TRANS' },
  });
  const webhook = await makeOne(t, '/v1/webhooks', {
    name: 'looked up',
    endPoint: 'http://127.0.0.1/',
    fields: ['gatewayName'],
  });
  const chatAccount = await makeOne(t, '/v1/chat-accounts', { name: 'looked up' });
  await t.call({ path: `/v1/chat-accounts/${chatAccount}/senders`, body: { msisdn: '15550100009' } });
  const optOut = await t.call<{ id: string }[]>({
    path: '/v1/opt-outs',
    body: { recipient: '919800009997' },
  });
  const [account]: { id: string }[] = await t.db.query('SELECT id FROM account LIMIT 1');
  const ids: Record<string, string> = {
    '/v1/accounts': account?.id ?? '',
    '/v1/api-keys': await makeOne(t, '/v1/api-keys', { name: 'looked up', scopes: ['send'] }),
    '/v1/users': await makeOne(t, '/v1/users', { email: 'read@shop.example', name: 'Read', role: 'viewer' }),
    '/v1/chat-accounts': chatAccount,
    '/v1/chatapp/inbound': await makeInbound(t),
    '/v1/opt-outs': optOut.body.data[0]?.id ?? '',
    '/v1/routes': await makeRoute(t),
    '/v1/sms/inbound': await makeInboundSms(t),
    '/v1/sms/templates': await makeOne(t, '/v1/sms/templates', { name: 'looked up', text: 'Hi {{1}}' }),
    '/v1/verify/configs': CONFIG_ID,
    '/v1/webhooks': webhook,
    '/v1/webhook-deliveries': await makeDelivery(t, sent.body.id, webhook),
  };
  const replayId = await makeOne(t, `/v1/webhooks/${webhook}/replay`, { from: '2026-01-01T00:00:00Z' });
  const cancellationId = await makeOne(t, '/v1/messages/cancel', { filter: { campaignName: 'none' } });
  const idOf = (path: string) => Object.entries(ids).find(([start]) => path.startsWith(start))?.[1] ?? '';
  return (path) =>
    path
      .replace(/Template(History)?$/, `$&?id=${chatTemplate}`)
      .replace(/explain$/, '$&?recipient=919812345678')
      .replace('{name}', nameOf(path))
      .replace('{messageId}', `${sent.body.id}:1`)
      .replace('{submissionId}', sent.body.id)
      .replace('{sendId}', sent.body.id)
      .replace('{cancellationId}', cancellationId)
      .replace(/search$/, '$&?q=919812345678')
      .replace('{verifyId}', VERIFY_ID)
      .replace('{sender}', '15550100001')
      .replace('{recipient}', '919812345678')
      .replace('{replayId}', replayId)
      .replace('{id}', idOf(path));
}

/** Name of the queue or gateway that the path of an example means. */
export function nameOf(path: string): string {
  return path.startsWith('/v1/queues') ? QUEUE_NAME : GATEWAY_NAME;
}

async function makeRoute(t: ApiUnderTest): Promise<string> {
  const match = { countries: ['DE'] };
  return makeOne(t, '/v1/routes', { name: 'read', match, targets: [{ gateway: GATEWAY_NAME }] });
}

async function makeInboundSms(t: ApiUnderTest): Promise<string> {
  const [id, now] = [randomUUIDv7(), new Date()];
  const [holder]: { accountId: string }[] = await t.db.query(
    `SELECT account_id AS "accountId" FROM api_key WHERE account_id IN (SELECT account_id FROM submission) LIMIT 1`,
  );
  const message = { gateway: 'smsc-1', gatewayMessageId: id, from: '919812345678', to: '56789', text: 'YES' };
  const times = { sentAt: now, receivedAt: now, consent: null };
  await insertInboundSms(t.db, [{ id, ...message, ...times, givenTo: holder!.accountId }]);
  return id;
}

async function makeInbound(t: ApiUnderTest): Promise<string> {
  const message = newInbound();
  await insertInbounds(t.db, [message]);
  return message.id;
}

/** Stores a report of the first message of a submission, pushed to a webhook. @returns the id of the delivery */
export async function makeDelivery(
  t: ApiUnderTest,
  submissionId: string,
  webhookId: string,
): Promise<string> {
  const [push] = await t.db.query(
    `WITH m AS (
       INSERT INTO message (submission_id, n, account_id, recipient, status, credits, claimed_until)
       SELECT id, 1, account_id, recipients[1], 'DELIVERED', 1, now() FROM submission WHERE id = $1 RETURNING *
     ), r AS (
       INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at, settled_at)
       SELECT uuidv7(), 'simulator', submission_id, n, status, '000', 'Message delivered', now(), now() FROM m RETURNING id
     )
     INSERT INTO push (webhook_id, report_id, account_id, status, attempts, duration_ms, finished_at)
     SELECT $2, r.id, m.account_id, 'DELIVERED', 1, 9, now() FROM r, m RETURNING report_id AS "reportId"`,
    [submissionId, webhookId],
  );
  return deliveryId((push as { reportId: string }).reportId, webhookId);
}

/** Creates an entity by the API. @returns its id */
export async function makeOne(t: ApiUnderTest, path: string, body: object): Promise<string> {
  return String((await t.call<{ id: number | string }>({ path, body })).body.data.id);
}
