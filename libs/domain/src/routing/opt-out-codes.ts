/** Codes by which a vendor says that the recipient has opted out of the sender, by vendor. */
const OPT_OUT_CODES = {
  bird: ['103'],
  plivo: ['200'],
  twilio: ['21610'],
  'cloud-api': ['131050'],
} as const satisfies Record<string, readonly string[]>;

const CODES: ReadonlySet<string> = new Set(Object.values(OPT_OUT_CODES).flat());

/** The errCode of messages that the recipient does not want. */
const UNWANTED = '010';

/** Is true for a failure by which the gateway says that the recipient has opted out of the sender. */
export function isOptOut(errCode: string, gatewayCode: string | null | undefined): boolean {
  return errCode === UNWANTED && CODES.has(gatewayCode ?? '');
}
