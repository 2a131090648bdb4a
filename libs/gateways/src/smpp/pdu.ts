/** A tagged parameter; its value is kept as bytes, whatever its tag. */
export interface Tlv {
  tag: number;
  value: Buffer;
}

/** The fields of submit_sm, deliver_sm and data_sm. Strings are Latin-1 and contain no NUL. */
export interface ShortMessage {
  serviceType: string;
  sourceTon: number;
  sourceNpi: number;
  source: string;
  destinationTon: number;
  destinationNpi: number;
  destination: string;
  esmClass: number;
  protocolId: number;
  priorityFlag: number;
  scheduleDeliveryTime: string;
  validityPeriod: string;
  registeredDelivery: number;
  replaceIfPresent: number;
  dataCoding: number;
  /** Empty in data_sm, whose text is in the TLV `messagePayload`. */
  shortMessage: Buffer;
  tlvs: readonly Tlv[];
}

/** The login of a bind. */
export interface BindFields {
  systemId: string;
  password: string;
  systemType: string;
  interfaceVersion: number;
  addressTon: number;
  addressNpi: number;
  addressRange: string;
}

/** Every PDU has a sequence number; a response has that of its request and a status, 0 for success. */
export type Pdu = { sequence: number; status: number } & PduBody;

export type PduBody =
  | ({ command: BindCommand } & BindFields)
  | { command: `${BindCommand}_resp`; systemId: string; tlvs: readonly Tlv[] }
  | { command: MessageCommand; message: ShortMessage }
  | { command: `${MessageCommand}_resp`; messageId: string; tlvs: readonly Tlv[] }
  | { command: 'query_sm'; messageId: string; sourceTon: number; sourceNpi: number; source: string }
  | { command: 'query_sm_resp'; messageId: string; finalDate: string; state: number; errorCode: number }
  | { command: BareCommand }
  /** A command that this client does not speak. */
  | { command: 'unknown'; commandId: number }
  /** A message whose fields contradict the length of its PDU; its sequence number can be answered. */
  | { command: 'malformed'; of: MessageCommand; problem: string };

export type BindCommand = 'bind_transceiver' | 'bind_transmitter' | 'bind_receiver';
export type MessageCommand = 'submit_sm' | 'deliver_sm' | 'data_sm';
/** Commands that consist of a header alone. */
export type BareCommand = 'unbind' | 'unbind_resp' | 'enquire_link' | 'enquire_link_resp' | 'generic_nack';

/** The commands by their id (SMPP 3.4, section 5.1.2.1). */
export const COMMANDS = {
  generic_nack: 0x80000000,
  bind_receiver: 0x00000001,
  bind_receiver_resp: 0x80000001,
  bind_transmitter: 0x00000002,
  bind_transmitter_resp: 0x80000002,
  query_sm: 0x00000003,
  query_sm_resp: 0x80000003,
  submit_sm: 0x00000004,
  submit_sm_resp: 0x80000004,
  deliver_sm: 0x00000005,
  deliver_sm_resp: 0x80000005,
  unbind: 0x00000006,
  unbind_resp: 0x80000006,
  bind_transceiver: 0x00000009,
  bind_transceiver_resp: 0x80000009,
  enquire_link: 0x00000015,
  enquire_link_resp: 0x80000015,
  data_sm: 0x00000103,
  data_sm_resp: 0x80000103,
} as const satisfies Record<Exclude<PduBody['command'], 'unknown' | 'malformed'>, number>;

/** Tags of optional parameters (SMPP 3.4, section 5.3.2). */
export const TAG = {
  destAddrSubunit: 0x0005,
  additionalStatusInfo: 0x001d,
  receiptedMessageId: 0x001e,
  userMessageReference: 0x0204,
  sarReference: 0x020c,
  sarTotal: 0x020e,
  sarSequence: 0x020f,
  networkErrorCode: 0x0423,
  messagePayload: 0x0424,
  messageState: 0x0427,
} as const;

/** Finds the value of the first TLV with a tag. */
export function findTlv({ tlvs }: { tlvs: readonly Tlv[] }, tag: number): Buffer | undefined {
  for (const tlv of tlvs) if (tlv.tag === tag) return tlv.value;
  return undefined;
}

/** Returns a message of empty fields, to fill in. */
export function emptyMessage(): ShortMessage {
  return {
    serviceType: '',
    sourceTon: 0,
    sourceNpi: 0,
    source: '',
    destinationTon: 0,
    destinationNpi: 0,
    destination: '',
    esmClass: 0,
    protocolId: 0,
    priorityFlag: 0,
    scheduleDeliveryTime: '',
    validityPeriod: '',
    registeredDelivery: 0,
    replaceIfPresent: 0,
    dataCoding: 0,
    shortMessage: Buffer.alloc(0),
    tlvs: [],
  };
}
