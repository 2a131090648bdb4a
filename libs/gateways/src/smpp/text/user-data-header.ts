/** The elements of a user data header that concern a text (3GPP TS 23.040, section 9.2.3.24). */
export interface UserDataHeader {
  concatenation?: { reference: number; referenceBits: 8 | 16; total: number; position: number };
  /** Language of the characters after an escape. */
  singleShift?: number;
  /** Language of the alphabet. */
  lockingShift?: number;
  /** The message is for an application, not a person. */
  hasPorts?: boolean;
}

/** Reads the elements after the length octet; skips those of other kinds, and one that is cut off. Never throws. */
export function readHeader(octets: Buffer): UserDataHeader {
  const header: UserDataHeader = {};
  for (let at = 0; at + 2 <= octets.length; at += 2 + octets[at + 1]!) {
    const content = octets.subarray(at + 2, at + 2 + octets[at + 1]!);
    if (content.length === octets[at + 1]) readElement(header, octets[at]!, content);
  }
  return header;
}

function readElement(header: UserDataHeader, id: number, content: Buffer): void {
  if (id === 0x00 && content.length === 3) joinBy(header, content[0]!, 8, content[1]!, content[2]!);
  if (id === 0x08 && content.length === 4)
    joinBy(header, content.readUInt16BE(0), 16, content[2]!, content[3]!);
  if (id === 0x04 || id === 0x05) header.hasPorts = true;
  if (id === 0x24 && content.length === 1) header.singleShift = content[0]!;
  if (id === 0x25 && content.length === 1) header.lockingShift = content[0]!;
}

/** An impossible position is ignored, as phones do. */
function joinBy(
  header: UserDataHeader,
  reference: number,
  referenceBits: 8 | 16,
  total: number,
  position: number,
): void {
  if (total > 1 && position >= 1 && position <= total)
    header.concatenation = { reference, referenceBits, total, position };
}
