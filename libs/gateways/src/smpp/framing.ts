/** Octets of the largest PDU that is read. A longer one is a stream that is not SMPP. */
export const MAX_PDU = 65_536;
const MIN_PDU = 16;

const EMPTY = Buffer.alloc(0);

/** Thrown for bytes that cannot be the start of a PDU; nothing after them can be read. */
export class FramingError extends Error {
  override name = 'FramingError';

  /** @param start the first bytes, at most 16, by which a person or `describeStranger` knows the protocol */
  constructor(
    message: string,
    readonly start: Buffer,
  ) {
    super(message);
  }
}

/** Receives the PDU in a buffer between two offsets. */
type ReceivePdu = (bytes: Buffer, start: number, end: number) => void;

/** Cuts a stream of bytes into PDUs. Holds less than one PDU, at most 64 KB, between chunks. */
export class Framing {
  private rest: Buffer = EMPTY;
  private chunks: Buffer[] = [];
  private held = 0;

  /**
   * Adds bytes and calls `receive` with each PDU that is complete, as a part of the buffer that holds it.
   *
   * @throws FramingError when a length is below 16 or above MAX_PDU; PDUs before it were received
   */
  push(chunk: Buffer, receive: ReceivePdu): void {
    this.chunks.push(chunk);
    this.held += chunk.length;
    if (this.held < this.needed()) return;
    const bytes = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks, this.held);
    this.keep(bytes.subarray(cut(bytes, receive)));
  }

  /** Octets that complete the next PDU, or its length field. */
  private needed(): number {
    if (this.rest.length < 4) return 4;
    return this.rest.readUInt32BE(0);
  }

  private keep(rest: Buffer): void {
    this.rest = rest;
    this.chunks = rest.length === 0 ? [] : [rest];
    this.held = rest.length;
  }
}

/** @returns the offset of the first incomplete PDU */
function cut(bytes: Buffer, receive: ReceivePdu): number {
  let at = 0;
  while (bytes.length - at >= 4) {
    const length = bytes.readUInt32BE(at);
    if (length < MIN_PDU || length > MAX_PDU)
      throw new FramingError(
        `a PDU has 16 to ${MAX_PDU} octets, not ${length}`,
        bytes.subarray(at, at + MIN_PDU),
      );
    if (bytes.length - at < length) break;
    receive(bytes, at, at + length);
    at += length;
  }
  return at;
}
