import { COMMANDS, type BindFields, type Pdu, type ShortMessage, type Tlv } from './pdu.ts';

const HEADER = 16;

/** Thrown for a field that no PDU can carry; the message names the field and its limit. */
export class UnwritableError extends Error {
  override name = 'UnwritableError';
}

/** The header of a PDU. */
interface Head {
  command: keyof typeof COMMANDS;
  status: number;
  sequence: number;
}

/** Octets of each string, with its closing NUL (SMPP 3.4, section 4). Real servers take longer passwords than 9. */
const LIMITS = {
  systemId: 16,
  password: 65,
  systemType: 13,
  addressRange: 41,
  serviceType: 6,
  address: 21,
  time: 17,
  messageId: 65,
  shortMessage: 254,
  tlv: 0xffff,
};

/** Octets of the first buffer, and the most that a later one begins with. */
const FIRST_SIZE = 64;
const MAX_FIRST_SIZE = 65_536;

/** Collects the bytes of PDUs in one buffer, since a buffer for each costs more than its bytes. */
export class PduBuffer {
  private buffer: Buffer | undefined;
  private size = FIRST_SIZE;
  private at = 0;

  get isEmpty(): boolean {
    return this.at === 0;
  }

  /** Appends a PDU, or nothing of it. @throws UnwritableError as `writePdu` */
  append(pdu: Pdu): void {
    const { at } = this;
    try {
      appendPdu(this, pdu);
    } catch (error) {
      this.at = at;
      throw error;
    }
  }

  /** Returns the bytes of all PDUs, and begins again with a buffer as large as they were. */
  take(): Buffer {
    const bytes = this.buffer?.subarray(0, this.at) ?? Buffer.alloc(0);
    this.size = Math.min(Math.max(this.at, FIRST_SIZE), MAX_FIRST_SIZE);
    this.buffer = undefined;
    this.at = 0;
    return bytes;
  }

  /** Makes room for a PDU, and writes its header. */
  start({ command, status, sequence }: Head, bodySize: number): void {
    const size = HEADER + bodySize;
    const buffer = this.reserve(this.at + size);
    buffer.writeUInt32BE(size, this.at);
    buffer.writeUInt32BE(COMMANDS[command], this.at + 4);
    buffer.writeUInt32BE(status, this.at + 8);
    buffer.writeUInt32BE(sequence, this.at + 12);
    this.at += HEADER;
  }

  octet(value: number): void {
    this.buffer![this.at] = value;
    this.at += 1;
  }

  text(value: string): void {
    if (value !== '') this.at += this.buffer!.write(value, this.at, 'latin1');
    this.octet(0);
  }

  bytes(value: Buffer): void {
    this.buffer!.set(value, this.at);
    this.at += value.length;
  }

  tlvs(tlvs: readonly Tlv[]): void {
    for (const { tag, value } of tlvs) {
      this.buffer!.writeUInt16BE(tag, this.at);
      this.buffer!.writeUInt16BE(value.length, this.at + 2);
      this.at += 4;
      this.bytes(value);
    }
  }

  private reserve(size: number): Buffer {
    this.buffer ??= Buffer.allocUnsafe(Math.max(size, this.size));
    if (this.buffer.length < size) {
      const larger = Buffer.allocUnsafe(size * 2);
      larger.set(this.buffer.subarray(0, this.at));
      this.buffer = larger;
    }
    return this.buffer;
  }
}

/**
 * Encodes a PDU.
 *
 * @throws UnwritableError for a string that is too long, contains a NUL or a character outside Latin-1, and for an
 *   octet outside 0 to 255
 */
export function writePdu(pdu: Pdu): Buffer {
  const target = new PduBuffer();
  target.append(pdu);
  return target.take();
}

function appendPdu(target: PduBuffer, pdu: Pdu): void {
  switch (pdu.command) {
    case 'bind_transceiver':
    case 'bind_transmitter':
    case 'bind_receiver':
      return writeBind(target, pdu);
    case 'bind_transceiver_resp':
    case 'bind_transmitter_resp':
    case 'bind_receiver_resp':
      return writeText(target, pdu, 'systemId', pdu.systemId, pdu.tlvs);
    case 'submit_sm':
    case 'deliver_sm':
      return writeMessage(target, pdu, pdu.message);
    case 'data_sm':
      return writeData(target, pdu, pdu.message);
    case 'submit_sm_resp':
    case 'deliver_sm_resp':
    case 'data_sm_resp':
      return writeText(target, pdu, 'messageId', pdu.messageId, pdu.tlvs);
    case 'query_sm':
      return writeQuery(target, pdu);
    case 'query_sm_resp':
      return writeQueryAnswer(target, pdu);
    case 'unbind':
    case 'unbind_resp':
    case 'enquire_link':
    case 'enquire_link_resp':
    case 'generic_nack':
      return target.start(pdu, 0);
    case 'unknown':
    case 'malformed':
      throw new UnwritableError(`a PDU "${pdu.command}" cannot be written`);
  }
}

function writeBind(target: PduBuffer, pdu: Head & BindFields): void {
  const { systemId, password, systemType, addressRange } = pdu;
  const size =
    sizeOf('systemId', systemId) +
    sizeOf('password', password) +
    sizeOf('systemType', systemType) +
    sizeOf('addressRange', addressRange);
  target.start(pdu, size + 3);
  for (const text of [systemId, password, systemType]) target.text(text);
  target.octet(octetOf('interfaceVersion', pdu.interfaceVersion));
  target.octet(octetOf('addressTon', pdu.addressTon));
  target.octet(octetOf('addressNpi', pdu.addressNpi));
  target.text(addressRange);
}

function writeText(
  target: PduBuffer,
  pdu: Head,
  field: 'systemId' | 'messageId',
  text: string,
  tlvs: readonly Tlv[],
): void {
  target.start(pdu, sizeOf(field, text) + sizeOfTlvs(tlvs));
  target.text(text);
  target.tlvs(tlvs);
}

function writeMessage(target: PduBuffer, pdu: Head, message: ShortMessage): void {
  const { scheduleDeliveryTime, validityPeriod, shortMessage } = message;
  const times = sizeOf('time', scheduleDeliveryTime) + sizeOf('time', validityPeriod);
  if (shortMessage.length > LIMITS.shortMessage)
    throw new UnwritableError(
      `shortMessage has ${shortMessage.length} octets; at most ${LIMITS.shortMessage} fit, use messagePayload`,
    );
  target.start(pdu, sizeOfRoute(message) + times + 8 + shortMessage.length + sizeOfTlvs(message.tlvs));
  writeRoute(target, message);
  target.octet(octetOf('esmClass', message.esmClass));
  target.octet(octetOf('protocolId', message.protocolId));
  target.octet(octetOf('priorityFlag', message.priorityFlag));
  target.text(scheduleDeliveryTime);
  target.text(validityPeriod);
  target.octet(octetOf('registeredDelivery', message.registeredDelivery));
  target.octet(octetOf('replaceIfPresent', message.replaceIfPresent));
  target.octet(octetOf('dataCoding', message.dataCoding));
  target.octet(0); // sm_default_msg_id
  target.octet(shortMessage.length);
  target.bytes(shortMessage);
  target.tlvs(message.tlvs);
}

function writeData(target: PduBuffer, pdu: Head, message: ShortMessage): void {
  if (message.shortMessage.length > 0)
    throw new UnwritableError('data_sm has no shortMessage; put the text into the TLV messagePayload');
  target.start(pdu, sizeOfRoute(message) + 3 + sizeOfTlvs(message.tlvs));
  writeRoute(target, message);
  target.octet(octetOf('esmClass', message.esmClass));
  target.octet(octetOf('registeredDelivery', message.registeredDelivery));
  target.octet(octetOf('dataCoding', message.dataCoding));
  target.tlvs(message.tlvs);
}

function sizeOfRoute({ serviceType, source, destination }: ShortMessage): number {
  return sizeOf('serviceType', serviceType) + sizeOf('address', source) + sizeOf('address', destination) + 4;
}

function writeRoute(target: PduBuffer, message: ShortMessage): void {
  target.text(message.serviceType);
  target.octet(octetOf('sourceTon', message.sourceTon));
  target.octet(octetOf('sourceNpi', message.sourceNpi));
  target.text(message.source);
  target.octet(octetOf('destinationTon', message.destinationTon));
  target.octet(octetOf('destinationNpi', message.destinationNpi));
  target.text(message.destination);
}

function writeQuery(target: PduBuffer, pdu: Pdu & { command: 'query_sm' }): void {
  target.start(pdu, sizeOf('messageId', pdu.messageId) + 2 + sizeOf('address', pdu.source));
  target.text(pdu.messageId);
  target.octet(octetOf('sourceTon', pdu.sourceTon));
  target.octet(octetOf('sourceNpi', pdu.sourceNpi));
  target.text(pdu.source);
}

function writeQueryAnswer(target: PduBuffer, pdu: Pdu & { command: 'query_sm_resp' }): void {
  target.start(pdu, sizeOf('messageId', pdu.messageId) + sizeOf('time', pdu.finalDate) + 2);
  target.text(pdu.messageId);
  target.text(pdu.finalDate);
  target.octet(octetOf('state', pdu.state));
  target.octet(octetOf('errorCode', pdu.errorCode));
}

const UNWRITABLE = /[\0\u0100-\uffff]/;

/** Octets of a string with its NUL. */
function sizeOf(field: keyof typeof LIMITS, text: string): number {
  if (text.length >= LIMITS[field])
    throw new UnwritableError(`${field} has ${text.length} characters; at most ${LIMITS[field] - 1} fit`);
  if (UNWRITABLE.test(text))
    throw new UnwritableError(`${field} contains a NUL or a character outside Latin-1`);
  return text.length + 1;
}

function sizeOfTlvs(tlvs: readonly Tlv[]): number {
  let size = 0;
  for (const { tag, value } of tlvs) {
    if (value.length > LIMITS.tlv || !(tag >= 0 && tag <= LIMITS.tlv))
      throw new UnwritableError(`the TLV ${tag} has ${value.length} octets; tag and length are 16 bits each`);
    size += 4 + value.length;
  }
  return size;
}

function octetOf(field: string, value: number): number {
  if (value >= 0 && value <= 0xff) return value;
  throw new UnwritableError(`${field} is ${value}; an octet is 0 to 255`);
}
