import { COMMANDS, type BindCommand, type Pdu, type PduBody, type ShortMessage, type Tlv } from './pdu.ts';

const HEADER = 16;

const NAMES: ReadonlyMap<number, keyof typeof COMMANDS> = new Map(
  Object.entries(COMMANDS).map(([name, id]) => [id, name as keyof typeof COMMANDS]),
);

const NO_TLVS: readonly Tlv[] = [];

/** Reads the fields of a body in order. Past the end, strings are empty and octets 0. */
class Source {
  constructor(
    private readonly pdu: Buffer,
    private at: number,
    private readonly end: number,
  ) {}

  get left(): number {
    return this.end - this.at;
  }

  octet(): number {
    if (this.at === this.end) return 0;
    this.at += 1;
    return this.pdu[this.at - 1]!;
  }

  /** A string without its NUL; one without NUL ends with the PDU. */
  text(): string {
    const start = this.at;
    let { at } = this;
    while (at < this.end && this.pdu[at] !== 0) at += 1;
    this.at = Math.min(at + 1, this.end);
    return at === start ? '' : this.pdu.toString('latin1', start, at);
  }

  bytes(length: number): Buffer {
    const value = this.pdu.subarray(this.at, Math.min(this.at + length, this.end));
    this.at += value.length;
    return value;
  }

  /** The rest as TLVs, without one that the end of the PDU cuts off. */
  tlvs(): readonly Tlv[] {
    if (this.left < 4) return NO_TLVS;
    const tlvs: Tlv[] = [];
    while (this.left >= 4) {
      const tag = this.pdu.readUInt16BE(this.at);
      const length = this.pdu.readUInt16BE(this.at + 2);
      if (length > this.left - 4) break;
      this.at += 4;
      tlvs.push({ tag, value: this.bytes(length) });
    }
    return tlvs;
  }
}

/**
 * Decodes the PDU between two offsets, which the framing has found by its length of at least 16. Never throws. A string without its NUL
 * ends with the PDU, missing fields are empty, TLVs of any tag are kept as bytes. A text that is longer than its PDU
 * makes it `malformed`. Values share the memory of `bytes`.
 */
export function readPdu(bytes: Buffer, start = 0, end = bytes.length): Pdu {
  const commandId = bytes.readUInt32BE(start + 4);
  const status = bytes.readUInt32BE(start + 8);
  const sequence = bytes.readUInt32BE(start + 12);
  return { sequence, status, ...readBody(commandId, new Source(bytes, start + HEADER, end)) };
}

function readBody(commandId: number, source: Source): PduBody {
  const command = NAMES.get(commandId);
  switch (command) {
    case undefined:
      return { command: 'unknown', commandId };
    case 'bind_transceiver':
    case 'bind_transmitter':
    case 'bind_receiver':
      return readBind(command, source);
    case 'bind_transceiver_resp':
    case 'bind_transmitter_resp':
    case 'bind_receiver_resp':
      return { command, systemId: source.text(), tlvs: source.tlvs() };
    case 'submit_sm':
    case 'deliver_sm':
      return readMessage(command, commandId, source);
    case 'data_sm':
      return { command, message: readData(source) };
    case 'submit_sm_resp':
    case 'deliver_sm_resp':
    case 'data_sm_resp':
      return { command, messageId: source.text(), tlvs: source.tlvs() };
    case 'query_sm':
      return {
        command,
        messageId: source.text(),
        sourceTon: source.octet(),
        sourceNpi: source.octet(),
        source: source.text(),
      };
    case 'query_sm_resp':
      return {
        command,
        messageId: source.text(),
        finalDate: source.text(),
        state: source.octet(),
        errorCode: source.octet(),
      };
    case 'unbind':
    case 'unbind_resp':
    case 'enquire_link':
    case 'enquire_link_resp':
    case 'generic_nack':
      return { command };
  }
}

function readBind(command: BindCommand, source: Source): PduBody {
  return {
    command,
    systemId: source.text(),
    password: source.text(),
    systemType: source.text(),
    interfaceVersion: source.octet(),
    addressTon: source.octet(),
    addressNpi: source.octet(),
    addressRange: source.text(),
  };
}

/** The fields are read in the order of the PDU. */
function readMessage(command: 'submit_sm' | 'deliver_sm', commandId: number, source: Source): PduBody {
  const message: ShortMessage = {
    serviceType: source.text(),
    sourceTon: source.octet(),
    sourceNpi: source.octet(),
    source: source.text(),
    destinationTon: source.octet(),
    destinationNpi: source.octet(),
    destination: source.text(),
    esmClass: source.octet(),
    protocolId: source.octet(),
    priorityFlag: source.octet(),
    scheduleDeliveryTime: source.text(),
    validityPeriod: source.text(),
    registeredDelivery: source.octet(),
    replaceIfPresent: source.octet(),
    dataCoding: source.octet(),
    shortMessage: EMPTY,
    tlvs: NO_TLVS,
  };
  source.octet(); // sm_default_msg_id
  const length = source.octet();
  if (length > source.left)
    return {
      command: 'malformed',
      commandId,
      problem: `sm_length is ${length}, and the PDU ends after ${source.left} octets`,
    };
  message.shortMessage = source.bytes(length);
  message.tlvs = source.tlvs();
  return { command, message };
}

const EMPTY = Buffer.alloc(0);

function readData(source: Source): ShortMessage {
  return {
    serviceType: source.text(),
    sourceTon: source.octet(),
    sourceNpi: source.octet(),
    source: source.text(),
    destinationTon: source.octet(),
    destinationNpi: source.octet(),
    destination: source.text(),
    esmClass: source.octet(),
    protocolId: 0,
    priorityFlag: 0,
    scheduleDeliveryTime: '',
    validityPeriod: '',
    registeredDelivery: source.octet(),
    replaceIfPresent: 0,
    dataCoding: source.octet(),
    shortMessage: EMPTY,
    tlvs: source.tlvs(),
  };
}
