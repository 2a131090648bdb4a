import { JpegFrame } from './jpeg-frame.ts';
import { Mp4Boxes } from './mp4-boxes.ts';
import { type MediaType, SNIFFED_BYTES, isDeclaredType, sniffMediaType } from './media-type.ts';

/** Error code of a refused file. */
export type MediaProblem =
  | 'file_empty'
  | 'file_type_not_allowed'
  | 'file_type_mismatch'
  | 'file_too_large'
  | 'file_corrupt';

/** Pixels of an image. A small file can decompress to a picture that fills a phone's memory. */
const MAX_PIXELS = 25_000_000;

/** Bytes at the end of a file that are searched for its end mark: programs append data after it. */
const TAIL_BYTES = 1024;

const JPEG_END = Buffer.from([0xff, 0xd9]);
const PNG_END = Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);
const PDF_END = Buffer.from('%%EOF');

/**
 * Inspects a file as its bytes arrive: its type by its first bytes, its size by its type, and at its end whether it is
 * complete. Keeps only its first and last bytes.
 */
export class MediaInspection {
  type: MediaType | undefined;
  sizeBytes = 0;
  private head = Buffer.alloc(0);
  private tail = Buffer.alloc(0);
  private readonly boxes = new Mp4Boxes();
  private readonly frame = new JpegFrame();

  /** @param declaredType media type from the request */
  constructor(private readonly declaredType: string) {}

  /** Reads the next bytes; returns the first problem as soon as it is found. */
  take(chunk: Buffer): MediaProblem | undefined {
    this.sizeBytes += chunk.length;
    const problem = this.head.length < SNIFFED_BYTES ? this.takeHead(chunk) : undefined;
    if (problem !== undefined) return problem;
    if (this.type !== undefined && this.sizeBytes > this.type.maxBytes) return 'file_too_large';
    this.takeTail(chunk);
    this.boxes.take(chunk);
    this.frame.take(chunk);
    return this.hasTooManyPixels() || this.hasBrokenBoxes() ? 'file_corrupt' : undefined;
  }

  /** Checks the complete file. */
  end(): MediaProblem | undefined {
    if (this.sizeBytes === 0) return 'file_empty';
    // No file of an accepted type is shorter than the sniffed bytes.
    if (this.type === undefined) return this.sniff() ?? 'file_corrupt';
    return this.isWhole(this.type) ? undefined : 'file_corrupt';
  }

  private takeHead(chunk: Buffer): MediaProblem | undefined {
    this.head = Buffer.concat([this.head, chunk.subarray(0, SNIFFED_BYTES - this.head.length)]);
    return this.head.length === SNIFFED_BYTES ? this.sniff() : undefined;
  }

  private takeTail(chunk: Buffer): void {
    this.tail =
      chunk.length >= TAIL_BYTES
        ? Buffer.from(chunk.subarray(-TAIL_BYTES))
        : Buffer.concat([this.tail, chunk]).subarray(-TAIL_BYTES);
  }

  private sniff(): MediaProblem | undefined {
    this.type = sniffMediaType(this.head);
    if (this.type === undefined) return 'file_type_not_allowed';
    if (!isDeclaredType(this.type, this.declaredType)) return 'file_type_mismatch';
    return this.type.name === 'PNG' && !hasReasonableSize(this.head) ? 'file_corrupt' : undefined;
  }

  private hasTooManyPixels(): boolean {
    const { pixels } = this.frame;
    return this.type?.name === 'JPEG' && pixels !== undefined && !isReasonable(pixels);
  }

  private hasBrokenBoxes(): boolean {
    return this.type?.name === 'MP4' && this.boxes.isBroken;
  }

  private isWhole({ name }: MediaType): boolean {
    if (name === 'MP4') return this.boxes.areWhole();
    if (name === 'JPEG' && this.frame.pixels === undefined) return false;
    const end = { JPEG: JPEG_END, PNG: PNG_END, PDF: PDF_END }[name];
    return this.tail.includes(end);
  }
}

/** Reads width and height from the first chunk of a PNG. */
function hasReasonableSize(head: Buffer): boolean {
  if (head.length < SNIFFED_BYTES || head.toString('latin1', 12, 16) !== 'IHDR') return false;
  return isReasonable(head.readUInt32BE(16) * head.readUInt32BE(20));
}

function isReasonable(pixels: number): boolean {
  return pixels > 0 && pixels <= MAX_PIXELS;
}
