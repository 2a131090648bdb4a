/** Values of command_status that the client itself uses (SMPP 3.4, section 5.1.3). */
export const STATUS = {
  ok: 0x00,
  invalidMessageLength: 0x01,
  invalidCommand: 0x03,
  alreadyBound: 0x05,
  systemError: 0x08,
  bindFailed: 0x0d,
  invalidPassword: 0x0e,
  invalidSystemId: 0x0f,
  invalidSystemType: 0x53,
  temporaryFault: 0x64,
} as const;

const NAMES: ReadonlyMap<number, string> = new Map([
  [0x00, 'no error'],
  [0x01, 'invalid message length'],
  [0x02, 'invalid command length'],
  [0x03, 'invalid command id'],
  [0x04, 'wrong bind state'],
  [0x05, 'already bound'],
  [0x06, 'invalid priority flag'],
  [0x07, 'invalid registered delivery flag'],
  [0x08, 'system error'],
  [0x0a, 'invalid source address'],
  [0x0b, 'invalid destination address'],
  [0x0c, 'invalid message id'],
  [0x0d, 'bind failed'],
  [0x0e, 'invalid password'],
  [0x0f, 'invalid system id'],
  [0x14, 'message queue full'],
  [0x15, 'invalid service type'],
  [0x43, 'invalid esm_class'],
  [0x45, 'submit failed'],
  [0x48, 'invalid source TON'],
  [0x49, 'invalid source NPI'],
  [0x50, 'invalid destination TON'],
  [0x51, 'invalid destination NPI'],
  [0x53, 'invalid system type'],
  [0x58, 'throttled'],
  [0x61, 'invalid delivery time'],
  [0x62, 'invalid validity period'],
  [0x64, 'temporary error'],
  [0x65, 'permanent error'],
  [0x66, 'refused'],
  [0x67, 'query failed'],
  [0xc0, 'invalid optional part'],
  [0xc1, 'optional parameter not allowed'],
  [0xc2, 'invalid parameter length'],
  [0xc3, 'expected optional parameter missing'],
  [0xc4, 'invalid optional parameter value'],
  [0xfe, 'delivery failed'],
  [0xff, 'unknown error'],
  [0x100, 'service not authorized'],
  [0x101, 'service prohibited'],
  [0x102, 'service not available'],
  [0x103, 'service denied'],
  [0x104, 'invalid data coding'],
]);

/** Returns a status as people search for it: `0x58 (throttled)`. */
export function describeStatus(status: number): string {
  const code = statusCode(status);
  const name = NAMES.get(status);
  return name ? `${code} (${name})` : code;
}

/** Returns a status in hexadecimal: `0x58`. */
export function statusCode(status: number): string {
  return `0x${status.toString(16).padStart(2, '0').toUpperCase()}`;
}
