import { callApi } from '../support/call-api.ts';
import type { Receiver } from '../support/receiver.ts';

/** Sends an SMS by the API. @returns the ids of its messages */
export async function sendSms(stack: Parameters<typeof callApi>[0], body: object): Promise<string[]> {
  const request = { sender: 'ACME', type: 'TRANS', ...body };
  const messages = await callApi<{ messageId: string }[]>(stack, 'POST', '/v1/sms', request);
  return messages.map(({ messageId }) => messageId);
}

/** Maps messages to the last final status that was pushed for each. */
export function finalStatuses(pushes: Receiver['received']): Map<string, string> {
  const final = pushes.filter(({ report }) => ['Delivered', 'Failed'].includes(report['status'] ?? ''));
  return new Map(final.map(({ report }) => [report['messageId'] ?? '', report['status'] ?? '']));
}
