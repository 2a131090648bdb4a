import { randomUUIDv7 } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { insertGateway } from '@signalbox/database/gateways/gateways';
import { type NewOrphan, insertOrphans } from '@signalbox/database/gateways/orphans';
import { newGateway } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type Answer, GOOD_SMS, expectFailure, startSharedApi } from './api-under-test.ts';

const TWILIO = { kind: 'http', settings: { preset: 'twilio' } };

interface Orphan {
  id: string;
  kind: string;
  recipient: string;
  from: string | null;
  status: string | null;
}

let ownAccount: string;

const t = await startSharedApi({ workers: ['sms', 'dlr'], env: { SIMULATOR_DELAY_MS: '0' } });

beforeAll(async () => {
  const [submission] = await t.db.query(`SELECT account_id AS id FROM api_key LIMIT 1`);
  ownAccount = (submission as { id: string }).id;
});
beforeEach(() => t.db.query(`TRUNCATE orphan_report, inbound_message`));

const REPORT: Omit<NewOrphan, 'id'> = {
  gateway: 'smsc-1',
  kind: 'report',
  gatewayMessageId: '1002',
  wakeId: '1002',
  recipient: '919800000106',
  status: 'DELIVERED',
  errCode: '000',
  gatewayCode: '000',
  description: 'DELIVRD',
  content: null,
  reportedAt: new Date(),
};

async function keep(given: Partial<NewOrphan> = {}): Promise<string> {
  const id = randomUUIDv7();
  await insertOrphans(t.db, [{ ...REPORT, id, ...given }]);
  return id;
}

function keepInbound(to = '15550100077'): Promise<string> {
  const message = {
    id: randomUUIDv7(),
    gateway: 'smsc-1',
    gatewayMessageId: randomUUIDv7(),
    from: '919800000300',
    to,
    text: 'STOP',
    sentAt: new Date(),
    receivedAt: new Date(),
    consent: 'stop',
  };
  const { gatewayMessageId } = message;
  return keep({ kind: 'inbound', status: null, recipient: to, gatewayMessageId, content: message });
}

const list = (query = '', headers = {}): Promise<Answer<Orphan[]>> =>
  t.call({ method: 'GET', path: `/v1/orphan-reports${query}`, headers });
const assign = (id: string, body: object): Promise<Answer<Orphan>> =>
  t.call({ method: 'PATCH', path: `/v1/orphan-reports/${id}`, body });
const discard = (id: string): Promise<Answer> =>
  t.call({ method: 'DELETE', path: `/v1/orphan-reports/${id}` });
const inboundTexts = async (headers = {}): Promise<string[]> => {
  const { body } = await t.call<{ text: { body: string } }[]>({
    method: 'GET',
    path: '/v1/sms/inbound',
    headers,
  });
  return body.data.map(({ text }) => text.body);
};

test('orphan reports are listed newest first, in pages, by gateway and kind', async () => {
  const ids = [await keep(), await keep({ gateway: 'smsc-2', status: null }), await keepInbound()].toSorted();
  const first = await list('?limit=2');
  const second = await list(`?limit=2&cursor=${first.body.nextCursor}`);
  expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids.toReversed());
  expect((await list('?gateway=smsc-2')).body.data).toMatchObject([{ status: null, gatewayErrCode: '000' }]);
  expect((await list('?kind=inbound')).body.data).toMatchObject([
    { from: '919800000300', recipient: '15550100077' },
  ]);
  expectFailure(await list('?kind=x'), 400, 'invalid_request', ['kind not_allowed_value']);
});

test('a report is assigned to a message, which it then moves', async () => {
  const { id: submission } = (await t.call({ body: { ...GOOD_SMS, to: '919800000006' } })).body;
  const status = async (): Promise<string | undefined> =>
    (await t.call<{ status: string }>({ method: 'GET', path: `/v1/messages/${submission}:1` })).body.data
      ?.status;
  await waitFor(async () => (await status()) === 'Sent', { timeoutMs: 30_000, otherwise: 'it was not sent' });
  const id = await keep();

  const assigned = await assign(id, { messageId: `${submission}:1` });

  expect([assigned.status, assigned.body.data.id]).toEqual([200, id]);
  await waitFor(async () => (await status()) === 'Delivered', {
    timeoutMs: 30_000,
    otherwise: 'the report moved nothing',
  });
  expectFailure(await assign(id, { messageId: `${submission}:1` }), 404, 'orphan_report_not_found');
});

test('an assigned report keeps the code of its gateway, and opts its recipient out', async () => {
  const to = '919800000016';
  const { id: submission } = (await t.call({ body: { ...GOOD_SMS, to } })).body;
  const refusal = { status: 'FAILED', errCode: '010', gatewayCode: '21610' } as const;
  const id = await keep({ ...refusal, gateway: 'twilio-1', recipient: to });
  await insertGateway(t.db, newGateway('twilio-1', { ...TWILIO, enabled: false }));

  expect((await assign(id, { messageId: `${submission}:1` })).status).toBe(200);

  await t.db.query(`DELETE FROM gateway`);
  const codes = await t.db.query(`SELECT gateway_code FROM message_event WHERE gateway = 'twilio-1'`);
  expect(codes).toEqual([{ gateway_code: '21610' }]);
  const optOuts = await t.call({ method: 'GET', path: `/v1/opt-outs?recipient=${to}` });
  expect(optOuts.body.data).toMatchObject([{ sender: GOOD_SMS.sender, source: 'gateway' }]);
});

test('an inbound SMS is assigned to an account, where STOP counts', async () => {
  const id = await keepInbound();

  expect((await assign(id, { accountId: ownAccount })).status).toBe(200);

  expect(await inboundTexts()).toEqual(['STOP']);
  const { body } = await t.call<object[]>({ method: 'GET', path: '/v1/opt-outs?recipient=919800000300' });
  expect(body.data).toMatchObject([{ sender: '15550100077', source: 'inbound' }]);
});

test('an inbound SMS finds its account once the number is assigned', async () => {
  await keepInbound('15550100078');
  await t.db.query(
    `INSERT INTO sender_assignment (msisdn, account_id, assigned_by) VALUES ('15550100078', $1, 'operator')`,
    [ownAccount],
  );

  await waitFor(async () => (await inboundTexts()).length === 1, {
    timeoutMs: 60_000,
    otherwise: 'it was not stored',
  });

  expect((await list()).body.data).toEqual([]);
  expect(await inboundTexts({ apikey: await t.addKey('Stranger') })).toEqual([]);
});

test('an assignment names what fits the kind, and exists', async () => {
  const [report, silent, inbound] = [
    await keep(),
    await keep({ gateway: 'smsc-3', status: null }),
    await keepInbound(),
  ];
  const messageId = `${randomUUIDv7()}:1`;
  const accountId = randomUUIDv7();
  expectFailure(await assign(report, {}), 400, 'invalid_request', ['messageId required']);
  expectFailure(await assign(report, { messageId, accountId }), 400, 'invalid_request', [
    'messageId required',
  ]);
  expectFailure(await assign(report, { messageId: 'x' }), 400, 'invalid_request', [
    'messageId invalid_format',
  ]);
  expectFailure(await assign(report, { messageId }), 404, 'message_not_found');
  expectFailure(await assign(report, { accountId }), 400, 'invalid_request', ['accountId not_applicable']);
  expectFailure(await assign(silent, { messageId }), 400, 'invalid_request', ['messageId not_applicable']);
  expectFailure(await assign(inbound, { messageId }), 400, 'invalid_request', ['messageId not_applicable']);
  expectFailure(await assign(inbound, { accountId }), 400, 'invalid_request', ['accountId unknown_account']);
  expect((await list()).body.data).toHaveLength(3);
});

test('an orphan report is discarded once, and every operation needs the scope ops', async () => {
  const id = await keep();
  const headers = { apikey: await t.addKey('Tenant', ['send', 'manage']) };
  expectFailure(await list('', headers), 403, 'scope_missing');
  expectFailure(
    await t.call({ method: 'DELETE', path: `/v1/orphan-reports/${id}`, headers }),
    403,
    'scope_missing',
  );
  expect((await discard(id)).body.data).toEqual({ id });
  expectFailure(await discard(id), 404, 'orphan_report_not_found');
  expectFailure(await discard('x'), 404, 'orphan_report_not_found');
});
