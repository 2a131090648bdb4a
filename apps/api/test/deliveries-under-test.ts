import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type ReceivedPush, startReceiver } from '@signalbox/test/receiver';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type ApiUnderTest, type Call, GOOD_SMS, startApi } from './api-under-test.ts';
import { ScriptedGateway, delivered } from './scripted-gateway.ts';

export const WEBHOOKS = '/v1/webhooks';

/** A time before every report of a test. */
export const EARLY = '2020-01-01T00:00:00Z';

export interface Delivery {
  id: string;
  messageId: string;
  status: string;
  reason: string | null;
  attempts: {
    responseStatus: number | null;
    error: string | null;
    answer: string | null;
    requestHeaders: Record<string, string> | null;
  }[];
}

interface Stats {
  breaker: string;
  backlog: number;
  failuresInRow: number;
  nextAttemptAt: string | null;
  latest: { delivered: number; successRate: number | null; p50Ms: number | null };
}

export interface Replay {
  id: string | null;
  status: string | null;
  total: number;
  replayed: number;
}

/** An API whose gateway reports Sent, then Delivered. */
export function startPushingApi(onLogLine?: (line: string) => void): Promise<ApiUnderTest> {
  const gateway = new ScriptedGateway(() => [[delivered({ status: 'SENT' })], [delivered()]]);
  return startApi({ workers: ['sms', 'dlr'], gateway, ...(onLogLine && { onLogLine }) });
}

interface Settings {
  intermediate?: boolean;
  schedule?: number[];
  maxInFlight?: number;
  ratePerSecond?: number;
  headers?: { key: string; value: string }[];
}

/** Adds an account with an endpoint. */
export async function setUpEndpoint(
  api: ApiUnderTest,
  answer?: (push: ReceivedPush, response: ServerResponse) => void,
) {
  const apikey = await api.addKey(randomUUID());
  const receiver = await startReceiver(answer);
  const call = <D>({ headers, ...rest }: Call) => api.call<D>({ ...rest, headers: { apikey, ...headers } });
  const get = async <D>(path: string): Promise<D> => (await call<D>({ method: 'GET', path })).body.data;
  return {
    ...api,
    receiver,
    call,
    get,
    list: (id: string, query = '') => get<Delivery[]>(`${WEBHOOKS}/${id}/deliveries?${query}`),
    stats: (id: string) => get<Stats>(`${WEBHOOKS}/${id}/stats`),
    until: (ask: () => Promise<boolean>) => waitFor(ask, { otherwise: 'it did not come to that' }),
    createWebhook: async (settings: Settings = {}) => {
      const { body } = await call<{ id: string }>({
        path: WEBHOOKS,
        body: { name: 'reports', endPoint: receiver.url, ...settings },
      });
      return body.data.id;
    },
    send: async (count: number) => {
      const to = Array.from({ length: count }, () => GOOD_SMS.to);
      const { body } = await call<{ messageId: string }[]>({ body: { ...GOOD_SMS, to } });
      return body.data.map(({ messageId }) => messageId);
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}
