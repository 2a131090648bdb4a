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

/** A question about one segment. */
interface Question {
  message: MessageAddress;
  request: QueuedRequest;
  answered: Promise<void>;
  /** The result of its end; undefined while it waits to be sent, or for its answer. */
  result: LinkAnswer['result'] | undefined;
}

/**
 * Asks for the states of messages by the ids of their segments, after every message that waits, and hands each
 * answer over as a receipt. Resolves when all are answered, or after 30 s.
 *
 * @returns the messages of which a question was not sent
 */
export async function queryMessages(
  messages: MessageAddress[],
  link: SmppLink,
  settings: EncodingSettings,
  clock: Clock,
  receive: (receipt: ShortMessage) => Promise<void>,
): Promise<MessageAddress[]> {
  const questions = messages.flatMap((message) =>
    (message.gatewayMessageIds ?? []).map((id) =>
      ask(message, questionOf(id, message.sender ?? '', settings), link, (answer) =>
        take(answer, id, message.recipient, receive),
      ),
    ),
  );
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(QUERY_MS, resolve);
  await Promise.race([Promise.all(questions.map(({ answered }) => answered)), late]);
  cancel();
  for (const { request } of questions) request.isCancelled = true;
  return [...new Set(questions.filter(isUnsent).map(({ message }) => message))];
}

function isUnsent({ request, result }: Question): boolean {
  return result === undefined ? request.via === undefined : result === 'unsent';
}

/** Names the sender as the submit did: a server finds a message by both. */
function questionOf(messageId: string, sender: string, settings: EncodingSettings): QueuedRequest['body'] {
  const { ton, npi } = sourceOf(sender, settings);
  return { command: 'query_sm', messageId, sourceTon: ton, sourceNpi: npi, source: sender };
}

function ask(
  message: MessageAddress,
  body: QueuedRequest['body'],
  link: SmppLink,
  handle: (answer: LinkAnswer) => Promise<void>,
): Question {
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const request: QueuedRequest = {
    lane: 'QUESTION',
    body,
    isContinued: false,
    segments: 1,
    done: (answer) => {
      question.result = answer.result;
      void handle(answer).then(resolve, () => resolve());
    },
    via: undefined,
    isCancelled: false,
  };
  const question: Question = { message, request, answered, result: undefined };
  link.send(request);
  return question;
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
