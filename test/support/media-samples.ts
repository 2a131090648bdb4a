/** A box of an MP4 file: its size, type and content. */
function box(type: string, content: string): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.length);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, Buffer.from(content, 'latin1')]);
}

/** The header of a PNG file, enough for a reader of its type and size. */
export function pngFile(width = 100, height = 100): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  const [start, end] = ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', '\x08\x06\0\0\0crc!\0\0\0\0IEND\xae\x42\x60\x82'];
  return Buffer.concat([Buffer.from(start, 'latin1'), size, Buffer.from(end, 'latin1')]);
}

/** A JPEG file of the same kind: application data, then the frame header, then image data. */
export function jpegFile(width = 100, height = 100): Buffer {
  const frame = Buffer.from('\xff\xc0\0\x0b\x08hhww\x01\x01\x11\0', 'latin1');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const start = Buffer.from(`\xff\xd8\xff\xe0\0\x12${'j'.repeat(16)}\xff`, 'latin1');
  return Buffer.concat([start, frame, Buffer.from(`\xff\xda\0\x08${'s'.repeat(100)}\xff\xd9`, 'latin1')]);
}

/** A small file of each accepted type. */
export const MEDIA_FILES = {
  png: pngFile(),
  jpeg: jpegFile(),
  pdf: Buffer.from(`%PDF-1.7\n${'p'.repeat(100)}\n%%EOF\n`),
  mp4: Buffer.concat([
    box('ftyp', 'isom\0\0\0\0mp41'),
    box('mdat', 'm'.repeat(100)),
    box('moov', 'x'.repeat(50)),
  ]),
};
