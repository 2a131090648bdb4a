import type { StoredSegment } from '@signalbox/database/gateways/inbound-segments';
import type { CompleteInbound } from '@signalbox/gateways/inbound-segments';
import { joinEscapes } from '@signalbox/gateways/smpp/text/gsm-alphabet';

/** Stands for the segments that are missing between two others. */
const MISSING = '…';

/**
 * Joins the segments of one message in the order of their positions; an ellipsis stands for missing ones. The message
 * is named by its set: an SMSC may give one id to messages that differ.
 */
export function joinSegments(set: readonly StoredSegment[]): CompleteInbound {
  const sorted = set.toSorted((a, b) => a.position - b.position);
  const { setId, sender, recipient, total } = sorted[0]!;
  return {
    gatewayMessageId: setId,
    from: sender,
    to: recipient,
    text: joinEscapes(textOf(sorted, total)),
    isComplete: sorted.length === total,
    sentAt: new Date(Math.min(...sorted.map(({ sentAt }) => sentAt.getTime()))),
  };
}

function textOf(sorted: readonly StoredSegment[], total: number): string {
  let text = '';
  let next = 1;
  for (const { position, body } of sorted) {
    if (position > next) text += MISSING;
    text += body.toString('utf16le');
    next = position + 1;
  }
  return next <= total ? text + MISSING : text;
}
