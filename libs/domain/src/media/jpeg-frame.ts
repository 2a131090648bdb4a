/**
 * A marker is 0xff and its type. Most markers start a segment: its length follows, which counts its own two
 * bytes.
 */
const MARKER_BYTES = 2;
const HEADER_BYTES = 4;

/** The header of a frame, the precision of its samples, its height and its width. */
const FRAME_BYTES = HEADER_BYTES + 5;

const FILL = 0xff;
const START_OF_IMAGE = 0xd8;
const START_OF_SCAN = 0xda;
/** Types within the range of frames that are no frames: two kinds of tables, and a reserved type. */
const NO_FRAMES = new Set([0xc4, 0xc8, 0xcc]);

/** Fill bytes that a file may hold before its frame. Encoders write none, or a few for alignment. */
const MAX_FILL_BYTES = 4_096;

/**
 * Follows the segments of a JPEG file as its bytes arrive, up to the frame, which holds the size of the picture (ITU-T
 * T.81, annex B).
 */
export class JpegFrame {
  /** Width times height, once the frame has arrived; 0 if the file is malformed or has no frame. */
  pixels: number | undefined;
  private readonly header = Buffer.alloc(FRAME_BYTES);
  private headerLength = 0;
  /** Bytes of the current segment still to come. */
  private left = 0;
  private fillBytes = 0;

  /** Reads the next bytes. The cost is proportional to their number, whatever they hold. */
  take(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && this.pixels === undefined) {
      at += this.left > 0 ? this.skip(chunk.length - at) : this.read(chunk[at]!);
    }
  }

  private skip(available: number): number {
    const skipped = Math.min(this.left, available);
    this.left -= skipped;
    return skipped;
  }

  private read(byte: number): number {
    if (this.headerLength === 1 && byte === FILL) {
      this.skipFill();
    } else {
      this.header[this.headerLength] = byte;
      this.headerLength += 1;
      if (this.headerLength === this.headerBytes()) this.enterSegment();
    }
    return 1;
  }

  /** Any number of fill bytes, each 0xff, may precede the type of a marker. */
  private skipFill(): void {
    this.fillBytes += 1;
    if (this.fillBytes > MAX_FILL_BYTES) this.pixels = 0;
  }

  private headerBytes(): number {
    const type = this.header[1]!;
    if (this.headerLength < MARKER_BYTES || type === START_OF_IMAGE) return MARKER_BYTES;
    return isFrame(type) ? FRAME_BYTES : HEADER_BYTES;
  }

  private enterSegment(): void {
    const start = this.header[0]!;
    const type = this.header[1]!;
    this.headerLength = 0;
    if (start !== FILL || type === START_OF_SCAN) this.pixels = 0;
    else if (isFrame(type)) this.pixels = this.header.readUInt16BE(5) * this.header.readUInt16BE(7);
    else if (type !== START_OF_IMAGE) this.startSegment(this.header.readUInt16BE(MARKER_BYTES));
  }

  private startSegment(length: number): void {
    if (length < MARKER_BYTES) this.pixels = 0;
    this.left = length - MARKER_BYTES;
  }
}

function isFrame(type: number): boolean {
  return type >= 0xc0 && type <= 0xcf && !NO_FRAMES.has(type);
}
