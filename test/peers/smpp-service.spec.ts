import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { callApi } from '../support/call-api.ts';
import { A_QUEUE } from '../support/queue.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Service, startService } from '../support/service.ts';
import { finalStatuses, sendSms } from './sent-sms.ts';
import { ID_FORMS, type PerlSmsc, hasNetSmpp, startPerlSmsc } from './perl-smsc.ts';

const TIMEOUT_MS = 300_000;
const SMSCS = [
  ...ID_FORMS.map((form) => ({ form, isEarly: false })),
  ...(['plain', 'same', 'empty'] as const).map((form) => ({ form, isEarly: true })),
];

/** Skips the tests of a machine without Debian's package libnet-smpp-perl. */
const withNetSmpp = hasNetSmpp() ? describe : describe.skip;

let service: Service;
let receiver: Receiver;
const smscs: PerlSmsc[] = [];

withNetSmpp('the service with an SMSC of Net::SMPP', () => {
  beforeAll(async () => {
    service = await startService({ queue: A_QUEUE.name });
    receiver = await startReceiver();
    await callApi(service.stack, 'POST', '/v1/webhooks', { name: 'reports', endPoint: receiver.url });
  });

  afterAll(async () => {
    for (const each of [receiver, service, ...smscs]) await each?.[Symbol.asyncDispose]();
  });

  test.each(SMSCS)(
    'every message reaches it once, and its report a webhook: %j',
    async ({ form, isEarly }) => {
      const smsc = await serveBy(form, isEarly);
      const prefix = `9198${String(smscs.length).padStart(2, '0')}`;
      const to = Array.from({ length: 30 }, (_, i) => `${prefix}${String(100_000 + i)}`);

      const ids = await sendSms(service.stack, { to, text: 'Hello. '.repeat(30) });
      // a second message to each number, so that a shared id does not decide between them
      ids.push(...(await sendSms(service.stack, { to, text: 'Again. '.repeat(30) })));

      await receiver.until((pushes) => ids.every((id) => finalStatuses(pushes).has(id)), TIMEOUT_MS);
      const statuses = finalStatuses(receiver.received);
      expect(ids.map((id, i) => `${to[i % to.length]} ${statuses.get(id)}`)).toEqual(
        [...to, ...to].map((number) => `${number} ${number.endsWith('1') ? 'Failed' : 'Delivered'}`),
      );
      // two segments of each message
      const perRecipient = Map.groupBy(smsc.submitted, (line) => line.split(' ')[0]);
      expect(new Set(perRecipient.keys())).toEqual(new Set(to));
      expect([...perRecipient.values()].filter((lines) => lines.length !== 4)).toEqual([]);
      const orphans = () => service.query(`SELECT FROM orphan_report`);
      await waitFor(async () => (await orphans()).length === 0, {
        timeoutMs: TIMEOUT_MS,
        otherwise: 'orphans stay',
      });
    },
  );

  test('kills of the SMSC lose no message, and leave only those in flight unconfirmed', killAgainAndAgain);

  test('the metrics of the worker show the gateway', async () => {
    const name = `smsc-${smscs.length}`;
    await waitFor(async () => (await listMetrics(name)).length > 0, { otherwise: 'there are no metrics' });
    expect(await listMetrics(name)).toEqual(METRICS);
  });

  test('a reply in two segments, the last one first, is one message', async () => {
    await serveBy('plain', false);
    await sendSms(service.stack, { to: ['919812345678'], text: 'A reply please' });

    // no account owns the sender, so the message waits in the orphan box
    const replies = () =>
      service.query<{ text: string }>(
        `SELECT content->>'text' AS text FROM orphan_report WHERE kind = 'inbound'`,
      );
    await waitFor(async () => (await replies()).length > 0, {
      timeoutMs: TIMEOUT_MS,
      otherwise: 'the reply was not stored',
    });
    expect(await replies()).toEqual([{ text: 'STOP please' }]);
  });
});

async function killAgainAndAgain(): Promise<void> {
  const smsc = await serveBy('uuid', false);
  const to = Array.from({ length: 2_000 }, (_, i) => `9197${String(10_000_000 + i)}`);
  const ids = await sendSms(service.stack, { to, text: 'Hello' });
  for (const taken of [300, 800, 1_300]) {
    await waitFor(() => smsc.submitted.length >= taken, { otherwise: 'the SMSC takes no more' });
    await smsc.restart();
  }

  // a message that no worker has claimed has no row yet
  const haveOutcomes = async () => {
    const ended = new Set(await service.listMessages(`status <> 'PENDING' OR unconfirmed_at IS NOT NULL`));
    return ids.every((id) => ended.has(id));
  };
  await waitFor(haveOutcomes, {
    timeoutMs: TIMEOUT_MS,
    otherwise: 'messages have no outcome',
  });
  const unconfirmed = new Set(await service.listMessages('unconfirmed_at IS NOT NULL'));
  const taken = smsc.submitted.map((line) => line.split(' ')[0]);
  const accepted = to.filter((_, i) => !unconfirmed.has(ids[i]!));
  expect(taken).toHaveLength(new Set(taken).size);
  expect(accepted.filter((number) => !taken.includes(number))).toEqual([]);
  // a window for each kill
  expect(unconfirmed.size).toBeLessThanOrEqual(3 * 10);
}

const METRICS = [
  'up',
  'bound',
  'window',
  'in_flight',
  'throttled',
  'submits_total',
  'report_lag_seconds_count',
];

/** Lists those of METRICS that the worker shows for a gateway. */
async function listMetrics(gateway: string): Promise<string[]> {
  const answer = await fetch(`${service.stack.process('sms-worker').url}/metrics`);
  const lines = (await answer.text()).split('\n').filter((line) => line.includes(`"${gateway}"`));
  return METRICS.filter((metric) => lines.some((line) => line.startsWith(`signalbox_gateway_${metric}{`)));
}

/** Starts an SMSC and makes it the only gateway. */
async function serveBy(form: (typeof ID_FORMS)[number], isEarly: boolean): Promise<PerlSmsc> {
  const smsc = await startPerlSmsc(form, isEarly);
  smscs.push(smsc);
  const name = `smsc-${smscs.length}`;
  if (smscs.length > 1) await callApi(service.stack, 'DELETE', `/v1/gateways/smsc-${smscs.length - 1}`);
  await callApi(service.stack, 'POST', '/v1/gateways', {
    name,
    channel: 'sms',
    kind: 'smpp',
    settings: { host: '127.0.0.1', port: smsc.port, systemId: 'signalbox' },
    secrets: { password: 'secret' },
  });
  await waitFor(async () => (await readState(name)).status === 'up', {
    timeoutMs: TIMEOUT_MS,
    otherwise: 'no worker opened the gateway',
  });
  return smsc;
}

async function readState(name: string): Promise<{ status: string }> {
  const { state } = await callApi<{ state: { status: string } }>(
    service.stack,
    'GET',
    `/v1/gateways/${name}`,
  );
  return state;
}
