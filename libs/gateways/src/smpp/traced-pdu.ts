import { maskNumbers } from '@signalbox/domain/msisdn';
import type { Pdu, ShortMessage } from './pdu.ts';

/** Which side of a session wrote a PDU. */
export type Direction = 'sent' | 'received';

/** The fields of a PDU for a log: numbers are masked, passwords and texts are left out. */
export function tracedPdu(direction: Direction, pdu: Pdu): object {
  const { command, sequence, status } = pdu;
  return {
    direction,
    command,
    sequence,
    status: `0x${status.toString(16).padStart(8, '0')}`,
    ...fieldsOf(pdu),
  };
}

function fieldsOf(pdu: Pdu): object {
  if ('message' in pdu) return messageFields(pdu.message);
  if ('messageId' in pdu) return { messageId: pdu.messageId };
  if ('systemId' in pdu) return { systemId: pdu.systemId };
  if (pdu.command === 'unknown') return { commandId: pdu.commandId };
  return pdu.command === 'malformed' ? { of: pdu.of, problem: pdu.problem } : {};
}

function messageFields({ source, destination, shortMessage, tlvs, ...message }: ShortMessage): object {
  const { esmClass, dataCoding, registeredDelivery, validityPeriod } = message;
  return {
    source: maskNumbers(source),
    destination: maskNumbers(destination),
    esmClass,
    dataCoding,
    registeredDelivery,
    validityPeriod,
    textBytes: shortMessage.length,
    tlvs: tlvs.map(({ tag, value }) => `0x${tag.toString(16).padStart(4, '0')} (${value.length})`),
  };
}
