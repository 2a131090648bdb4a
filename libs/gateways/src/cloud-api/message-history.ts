import type { ReportedStatus } from '@signalbox/domain/message-status';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import type { MessageAddress } from '../gateway.ts';
import type { BusinessNumber } from './business-numbers.ts';
import type { GraphClient } from './graph-client.ts';
import { asObject, instantOf, listOf, textOf } from './json.ts';

const FIELDS = 'id,message_id,events{delivery_status,timestamp,error_description}';
/** Messages of one call. */
const MAX_ASKED = 200;
const AT_ONCE = 8;

const STATUSES: ReadonlyMap<unknown, ReportedStatus> = new Map<unknown, ReportedStatus>([
  ['SENT', 'SENT'],
  ['DELIVERED', 'DELIVERED'],
  ['READ', 'READ'],
  ['FAILED', 'FAILED'],
]);

/**
 * Asks for the states of messages by their WhatsApp ids. A message without one cannot be asked for: its status, which
 * carries our id, still settles it.
 *
 * @returns the reports, and the messages that WhatsApp was not asked about: those beyond MAX_ASKED, and those whose
 * question did not reach it
 */
export async function askHistory(
  client: GraphClient,
  numbers: readonly BusinessNumber[],
  messages: readonly MessageAddress[],
  signal: AbortSignal,
): Promise<{ reports: GatewayReport[]; unasked: MessageAddress[] }> {
  const askable = messages.filter(({ gatewayMessageIds }) => gatewayMessageIds?.[0] !== undefined);
  const waiting = askable.slice(0, MAX_ASKED).values();
  const reports: GatewayReport[] = [];
  const unasked = askable.slice(MAX_ASKED);
  const ask = async (): Promise<void> => {
    for (const message of waiting) {
      const answer = await askOne(client, numbers, message, signal);
      if (answer) reports.push(...answer);
      else unasked.push(message);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return { reports, unasked };
}

/**
 * The history belongs to a number, so without the sender each number is asked.
 *
 * @returns undefined when a question did not reach WhatsApp
 */
async function askOne(
  client: GraphClient,
  numbers: readonly BusinessNumber[],
  { messageId, sender, gatewayMessageIds = [] }: MessageAddress,
  signal: AbortSignal,
): Promise<GatewayReport[] | undefined> {
  const candidates = sender === undefined ? numbers : numbers.filter(({ msisdn }) => msisdn === sender);
  for (const { phoneNumberId } of candidates) {
    const answer = await client.call({
      method: 'GET',
      path: `/${phoneNumberId}/message_history`,
      query: { message_id: gatewayMessageIds[0] ?? '', fields: FIELDS },
      signal,
    });
    if (answer.result === 'unreachable') return undefined;
    const entries = answer.result === 'ok' ? listOf(answer.body['data']) : [];
    const events = entries.flatMap((entry) => listOf(asObject(asObject(entry)?.['events'])?.['data']));
    if (events.length > 0) return events.flatMap((event) => toReport(messageId, event));
  }
  return [];
}

function toReport(messageId: string, event: unknown): GatewayReport[] {
  const { delivery_status, timestamp, error_description } = asObject(event) ?? {};
  const status = STATUSES.get(delivery_status);
  if (status === undefined) return [];
  const isFailed = status === 'FAILED';
  return [
    {
      messageId,
      status,
      errCode: isFailed ? '099' : '000',
      description: (isFailed && textOf(error_description)) || 'Stated by the message history of WhatsApp',
      reportedAt: instantOf(timestamp),
    },
  ];
}
