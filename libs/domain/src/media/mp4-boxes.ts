/** A box starts with its size and type, 4 bytes each. After size 1, the type is followed by the size. */
const HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;
const LONG_SIZE = 1;

/** Outermost boxes of one file. A fragmented video has two for each fragment. */
const MAX_BOXES = 10_000;

/**
 * Follows the outermost boxes of an MP4 file as its bytes arrive, to recognize a file that is truncated or has no
 * index.
 */
export class Mp4Boxes {
  /** True after a box of an impossible size, and after too many boxes: the rest of the file is of no interest. */
  isBroken = false;
  private readonly header = Buffer.alloc(LONG_HEADER_BYTES);
  private headerLength = 0;
  /** Bytes of the current box still to come; Infinity for a box that extends to the end of the file. */
  private left = 0;
  private boxes = 0;
  private hasFileType = false;
  private hasIndex = false;

  /** Reads the next bytes. The cost is proportional to their number, whatever they hold. */
  take(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.isBroken) {
      at += this.left > 0 ? this.skip(chunk.length - at) : this.readHeader(chunk, at);
    }
  }

  /** True if the file ends where a box ends, and has both its type and its index. */
  areWhole(): boolean {
    const isAtEnd = this.headerLength === 0 && (this.left === 0 || this.left === Infinity);
    return !this.isBroken && isAtEnd && this.hasFileType && this.hasIndex;
  }

  private skip(available: number): number {
    const skipped = Math.min(this.left, available);
    this.left -= skipped;
    return skipped;
  }

  private readHeader(chunk: Buffer, start: number): number {
    const missing = this.headerBytes() - this.headerLength;
    const copied = chunk.copy(this.header, this.headerLength, start, start + missing);
    this.headerLength += copied;
    if (this.headerLength === this.headerBytes()) this.enterBox();
    return copied;
  }

  private headerBytes(): number {
    const isLong = this.headerLength >= HEADER_BYTES && this.header.readUInt32BE(0) === LONG_SIZE;
    return isLong ? LONG_HEADER_BYTES : HEADER_BYTES;
  }

  private enterBox(): void {
    const short = this.header.readUInt32BE(0);
    const size = short === LONG_SIZE ? Number(this.header.readBigUInt64BE(HEADER_BYTES)) : short;
    const type = this.header.toString('latin1', 4, HEADER_BYTES);
    this.hasFileType ||= type === 'ftyp';
    this.hasIndex ||= type === 'moov';
    this.boxes += 1;
    this.isBroken = this.boxes > MAX_BOXES || (size !== 0 && size < this.headerLength);
    this.left = size === 0 ? Infinity : size - this.headerLength;
    this.headerLength = 0;
  }
}
