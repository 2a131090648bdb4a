import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { type GraphServer, graphError, graphRow, startGraph } from '@signalbox/test/graph-server';
import type { OutgoingChatMessage } from '../src/chat-app-gateway.ts';
import { CloudApiGateway } from '../src/cloud-api/cloud-api.gateway.ts';
import { CLOUD_API_KIND } from '../src/cloud-api/kind.ts';
import { readSettings } from '../src/read-settings.ts';
import { WAIT } from './gateway.conformance.ts';

export const ID = '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c90';
/** The first number of the account. */
export const NUMBER = '15550783881';
export const MESSAGE: OutgoingChatMessage = {
  messageId: `${ID}:1`,
  accountId: ID,
  sender: NUMBER,
  recipient: '919800000001',
  kind: 'text',
  template: null,
  content: { body: 'Hello' },
  attempt: 1,
};

interface Logged {
  event: string;
  fields: object;
}

/** Opens a gateway to a fake. */
export function openGateway(url: string, settings: object = {}, now?: () => number) {
  const row = graphRow(url);
  const read = readSettings(CLOUD_API_KIND, { ...row.settings, ...settings }, row.secrets);
  if (!('settings' in read)) throw new Error(JSON.stringify(read.problems));
  const alarms: Logged[] = [];
  const error = (fields: object, event: string): void => void alarms.push({ event, fields });
  const logger = { info: () => undefined, warn: () => undefined, error };
  const gateway = new CloudApiGateway(
    {
      name: 'whatsapp',
      channel: 'chatapp',
      settings: read.settings,
      secrets: row.secrets,
      ratePerSecond: null,
      callbackUrl: null,
    },
    { logger, share: () => 1 },
    now,
  );
  return { gateway, alarms };
}

/** Starts a fake with two numbers, and opens a gateway to it. */
export async function setup(
  intercept: GraphServer['intercept'] = () => undefined,
  settings: object = {},
  now?: () => number,
) {
  const graph = await startGraph(NUMBER, '15550100002');
  graph.intercept = intercept;
  const { gateway, alarms } = openGateway(graph.url, settings, now);
  return {
    graph,
    gateway,
    alarms,
    submit: async (fields: Partial<OutgoingChatMessage> = {}): Promise<SubmitOutcome> =>
      (await gateway.submit([{ ...MESSAGE, ...fields }], WAIT))[0]!,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await graph[Symbol.asyncDispose]();
    },
  };
}

/** Refuses messages with a code. */
export const refuse =
  (code: number, more: object = {}, status = 400): GraphServer['intercept'] =>
  ({ path }) =>
    path.endsWith('/messages') ? graphError(code, more as never, status) : undefined;
