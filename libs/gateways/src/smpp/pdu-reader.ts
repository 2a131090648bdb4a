import {
  COMMANDS,
  type BindCommand,
  type MessageCommand,
  type Pdu,
  type PduBody,
  type ShortMessage,
  TAG,
  type Tlv,
  emptyMessage,
} from './pdu.ts';

const HEADER = 16;

const NAMES: ReadonlyMap<number, keyof typeof COMMANDS> = new Map(
  Object.entries(COMMANDS).map(([name, id]) => [id, name as keyof typeof COMMANDS]),
);

const NO_TLVS: readonly Tlv[] = [];

/** Tags whose value decides what a message is. Broken TLVs of a vendor's own are skipped. */
const READ_TAGS: ReadonlySet<number> = new Set(Object.values(TAG));

/** Reads the fields of a body in order. Past the end, strings are empty and octets 0. */
class Source {
  /** Describes the field that passes the end; undefined while all are whole. */
  problem: string | undefined;
  private at: number;

  constructor(
    private readonly pdu: Buffer,
    private readonly start: number,
    private readonly end: number,
  ) {
    this.at = start + HEADER;
  }

  get left(): number {
    return this.end - this.at;
  }

  octet(): number {
    if (this.at === this.end) {
      this.problem ??= `the PDU ends within its fields, after ${this.end - this.start} octets`;
      return 0;
    }
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
      if (length > this.left - 4) {
        this.noteCut(tag, length);
        break;
      }
      this.at += 4;
      tlvs.push({ tag, value: this.bytes(length) });
    }
    return tlvs;
  }

  private noteCut(tag: number, length: number): void {
    if (!READ_TAGS.has(tag)) return;
    const hex = tag.toString(16).padStart(4, '0');
    this.problem ??= `the TLV 0x${hex} has ${length} octets, and the PDU ends after ${this.left - 4} of them`;
  }
}

/**
 * Decodes the PDU between two offsets, which the framing has found by its length of at least 16. Never throws. A
 * string without its NUL ends with the PDU, TLVs of any tag are kept as bytes. Missing fields are empty; in a message
 * they make it `malformed`, as does a text or a known TLV that is longer than its PDU. Values share the memory of
 * `bytes`.
 */
export function readPdu(bytes: Buffer, start = 0, end = bytes.length): Pdu {
  const commandId = bytes.readUInt32BE(start + 4);
  const status = bytes.readUInt32BE(start + 8);
  const sequence = bytes.readUInt32BE(start + 12);
  return { sequence, status, ...readBody(commandId, new Source(bytes, start, end)) };
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
      return wholeOr(source, command, readMessage(source));
    case 'data_sm':
      return wholeOr(source, command, readData(source));
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

function wholeOr({ problem }: Source, command: MessageCommand, message: ShortMessage): PduBody {
  return problem === undefined ? { command, message } : { command: 'malformed', of: command, problem };
}

/** The fields with which every message begins, in the order of the PDU. */
function readHead(source: Source) {
  return {
    serviceType: source.text(),
    sourceTon: source.octet(),
    sourceNpi: source.octet(),
    source: source.text(),
    destinationTon: source.octet(),
    destinationNpi: source.octet(),
    destination: source.text(),
    esmClass: source.octet(),
  };
}

/** The fields are read in the order of the PDU. */
function readMessage(source: Source): ShortMessage {
  const message: ShortMessage = {
    ...readHead(source),
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
    source.problem ??= `sm_length is ${length}, and the PDU ends after ${source.left} octets`;
  message.shortMessage = source.bytes(length);
  message.tlvs = source.tlvs();
  return message;
}

const EMPTY = Buffer.alloc(0);

function readData(source: Source): ShortMessage {
  return {
    ...emptyMessage(),
    ...readHead(source),
    registeredDelivery: source.octet(),
    dataCoding: source.octet(),
    tlvs: source.tlvs(),
  };
}
