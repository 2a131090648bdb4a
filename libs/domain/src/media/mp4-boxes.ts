/** A box has a header of 8 bytes, its size and its type; a size of 1 stands for another 8 bytes with the size. */
const HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;

/** Follows the outermost boxes of an MP4 file while it passes, so that a file that was cut short, or has no index, is known. */
export class Mp4Boxes {
  private header = Buffer.alloc(0);
  /** How much of the box under way is still to come; Infinity for a box that goes on to the end of the file. */
  private left = 0;
  private readonly types = new Set<string>();
  private isBroken = false;

  take(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && !this.isBroken) {
      if (this.left > 0) {
        const skipped = Math.min(this.left, rest.length);
        this.left -= skipped;
        rest = rest.subarray(skipped);
      } else {
        rest = this.readHeader(rest);
      }
    }
  }

  /** Whether the file ends where a box does, and has both what it is and where its pictures are. */
  areWhole(): boolean {
    const ended = this.header.length === 0 && (this.left === 0 || this.left === Infinity);
    return !this.isBroken && ended && this.types.has('ftyp') && this.types.has('moov');
  }

  private readHeader(chunk: Buffer): Buffer {
    const isLong = this.header.length >= HEADER_BYTES;
    const missing = (isLong ? LONG_HEADER_BYTES : HEADER_BYTES) - this.header.length;
    this.header = Buffer.concat([this.header, chunk.subarray(0, missing)]);
    if (this.header.length === HEADER_BYTES && !isLong) this.enter(this.header.readUInt32BE(0), HEADER_BYTES);
    else if (this.header.length === LONG_HEADER_BYTES)
      this.enter(Number(this.header.readBigUInt64BE(HEADER_BYTES)), LONG_HEADER_BYTES);
    return chunk.subarray(missing);
  }

  private enter(size: number, headerBytes: number): void {
    if (size === 1 && headerBytes === HEADER_BYTES) return;
    this.types.add(this.header.toString('latin1', 4, 8));
    this.isBroken = size !== 0 && size < headerBytes;
    this.left = size === 0 ? Infinity : size - headerBytes;
    this.header = Buffer.alloc(0);
  }
}
