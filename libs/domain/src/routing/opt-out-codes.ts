/** Codes by which a vendor says that the recipient has opted out of the sender, by preset, or by kind of gateway. */
const OPT_OUT_CODES = new Map<string, readonly string[]>([
  ['bird', ['103']],
  ['plivo', ['200']],
  ['twilio', ['21610']],
  ['cloud-api', ['131050']],
]);

/** The errCode of messages that the recipient does not want. */
const UNWANTED = '010';

/** The vendor of a gateway, whose codes its reports have. */
export interface VendorOfGateway {
  kind: string;
  settings: unknown;
}

/** Is true for a failure by which the gateway says that the recipient has opted out of the sender. */
export function isOptOut(
  gateway: VendorOfGateway | undefined,
  errCode: string,
  gatewayCode: string | null | undefined,
): boolean {
  if (errCode !== UNWANTED || !gatewayCode || !gateway) return false;
  return OPT_OUT_CODES.get(vendorOf(gateway))?.includes(gatewayCode) === true;
}

function vendorOf({ kind, settings }: VendorOfGateway): string {
  const preset = (settings as { preset?: unknown } | null)?.preset;
  return kind === 'http' && typeof preset === 'string' ? preset : kind;
}
