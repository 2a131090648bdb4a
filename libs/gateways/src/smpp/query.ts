import type { MessageAddress } from '../gateway.ts';
import type { Clock } from './clock.ts';
import type { SmppLink } from './link.ts';
import { type ShortMessage, TAG, emptyMessage } from './pdu.ts';
import type { LinkAnswer, QueuedRequest } from './submit-queue.ts';
import type { EncodingSettings } from './text/encoding-settings.ts';
import { sourceOf } from './text/segments.ts';

/** Time for the answers to a batch of queries. */
const QUERY_MS = 30_000;
const RECEIPT = 0x04;

/**
 * Asks for the states of messages by the ids of their segments, after every message that waits, and hands each
 * answer over as a receipt. Resolves when all are answered, or after 30 s.
 */
export async function queryMessages(
  messages: MessageAddress[],
  link: SmppLink,
  settings: EncodingSettings,
  clock: Clock,
  receive: (receipt: ShortMessage) => Promise<void>,
): Promise<void> {
  const asked = messages.flatMap(({ recipient, sender = '', gatewayMessageIds = [] }) =>
    gatewayMessageIds.map((id) =>
      ask(questionOf(id, sender, settings), link, (answer) => take(answer, id, recipient, receive)),
    ),
  );
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(QUERY_MS, resolve);
  await Promise.race([Promise.all(asked.map(({ answered }) => answered)), late]);
  cancel();
  for (const { request } of asked) request.isCancelled = true;
}

/** Names the sender as the submit did: a server finds a message by both. */
function questionOf(messageId: string, sender: string, settings: EncodingSettings): QueuedRequest['body'] {
  const { ton, npi } = sourceOf(sender, settings);
  return { command: 'query_sm', messageId, sourceTon: ton, sourceNpi: npi, source: sender };
}

function ask(
  body: QueuedRequest['body'],
  link: SmppLink,
  handle: (answer: LinkAnswer) => Promise<void>,
): { request: QueuedRequest; answered: Promise<void> } {
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const request: QueuedRequest = {
    lane: 'QUESTION',
    body,
    isContinued: false,
    segments: 1,
    done: (answer) => void handle(answer).then(resolve, () => resolve()),
    via: undefined,
    isCancelled: false,
  };
  link.send(request);
  return { request, answered };
}

async function take(
  answer: LinkAnswer,
  id: string,
  recipient: string,
  receive: (receipt: ShortMessage) => Promise<void>,
): Promise<void> {
  if (answer.result !== 'answered' || answer.status !== 0) return;
  const { state, errorCode } = answer.body;
  const tlvs = [
    { tag: TAG.receiptedMessageId, value: Buffer.from(id, 'latin1') },
    { tag: TAG.messageState, value: Buffer.of(state) },
    { tag: TAG.networkErrorCode, value: Buffer.of(0, 0, errorCode) },
  ];
  await receive({ ...emptyMessage(), esmClass: RECEIPT, source: recipient, tlvs });
}
