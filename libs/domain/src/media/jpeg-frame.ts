/** A marker is 0xff and its type; all but a few are followed by the length of their segment, which counts itself. */
const MARKER_BYTES = 2;
const HEADER_BYTES = 4;

/** Of a frame: its header, the precision of its samples, its height and its width. */
const FRAME_BYTES = HEADER_BYTES + 5;

const FILL = 0xff;
const START_OF_IMAGE = 0xd8;
const START_OF_SCAN = 0xda;
/** They share the range of frame types: tables, and a reserved one. */
const NO_FRAMES = new Set([0xc4, 0xc8, 0xcc]);

/** Follows the segments of a JPEG file while it passes, up to the frame, which tells how large the picture is (ITU-T T.81, annex B). */
export class JpegFrame {
  /** Known once the frame has passed; 0 in a file whose picture begins without one. */
  pixels: number | undefined;
  private header = Buffer.alloc(0);
  /** How much of the segment under way is still to come. */
  private left = 0;

  take(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && this.pixels === undefined) {
      const skipped = Math.min(this.left, rest.length);
      this.left -= skipped;
      rest = rest.subarray(skipped);
      if (this.left === 0) rest = this.read(rest);
    }
  }

  /** Reads on in a header; returns what follows it. */
  private read(chunk: Buffer): Buffer {
    const missing = this.wantedBytes() - this.header.length;
    this.header = Buffer.concat([this.header, chunk.subarray(0, missing)]);
    if (this.header.length === this.wantedBytes()) this.enter();
    return chunk.subarray(missing);
  }

  private wantedBytes(): number {
    if (this.header.length < MARKER_BYTES || this.header[1] === FILL || this.header[1] === START_OF_IMAGE)
      return MARKER_BYTES;
    return isFrame(this.header[1]!) ? FRAME_BYTES : HEADER_BYTES;
  }

  private enter(): void {
    const [start, type] = this.header;
    if (start !== FILL || type === START_OF_SCAN) this.pixels = 0;
    else if (type === FILL) this.header = this.header.subarray(1);
    else if (type === START_OF_IMAGE) this.header = Buffer.alloc(0);
    else if (isFrame(type!)) this.pixels = this.header.readUInt16BE(5) * this.header.readUInt16BE(7);
    else this.skip(this.header.readUInt16BE(MARKER_BYTES));
  }

  private skip(length: number): void {
    if (length < MARKER_BYTES) this.pixels = 0;
    this.left = length - MARKER_BYTES;
    this.header = Buffer.alloc(0);
  }
}

function isFrame(type: number): boolean {
  return type >= 0xc0 && type <= 0xcf && !NO_FRAMES.has(type);
}
