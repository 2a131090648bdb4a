import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MediaInspection } from './inspection.ts';

const MB = 1024 * 1024;
const HEAD = 'Not a header of any type, but long enough to be sniffed.';

/** Builds a box of an MP4 file. */
function box(type: string, content = ''): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.length);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, Buffer.from(content, 'latin1')]);
}

/** Empty boxes of different types. */
function boxes(count: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => box(i.toString(36).padStart(4, '0')));
}

function png(width: number, height: number, end = '\0\0\0\0IEND\xae\x42\x60\x82'): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
    size,
    Buffer.from(`\x08\x06\0\0\0crc!${end}`, 'latin1'),
  ]);
}

/** Builds a JPEG whose frame marker has a fill byte. */
function jpeg(width: number, height: number, frameType = '\xc2'): Buffer {
  const frame = Buffer.from(`\xff\xff${frameType}\0\x0b\x08hhww\x01\x01\x11\0`, 'latin1');
  frame.writeUInt16BE(height, 6);
  frame.writeUInt16BE(width, 8);
  const tables = Buffer.from(`\xff\xc4\0\x05abc\xff\xe0\0\x42${'j'.repeat(64)}`, 'latin1');
  return Buffer.concat([
    Buffer.from('\xff\xd8', 'latin1'),
    tables,
    frame,
    Buffer.from(`\xff\xda\0\x08${'s'.repeat(40)}\xff\xd9`, 'latin1'),
  ]);
}

const JPEG = jpeg(5000, 5000);
const PDF = Buffer.from(`%PDF-1.7\n${'p'.repeat(100)}\n%%EOF\n`);
const MP4 = Buffer.concat([
  box('ftyp', 'isom\0\0\0\0mp41'),
  box('mdat', 'm'.repeat(300)),
  box('moov', 'x'.repeat(50)),
]);

/** Inspects a file in pieces; returns its problem or the name of its type. */
function inspect(file: Buffer, declared = '', pieceBytes = 7): string | undefined {
  const inspection = new MediaInspection(declared);
  for (let at = 0; at < file.length; at += pieceBytes) {
    const problem = inspection.take(file.subarray(at, at + pieceBytes));
    if (problem !== undefined) return problem;
  }
  return inspection.end() ?? inspection.type?.name;
}

test.each([
  ['JPEG', JPEG],
  ['PNG', png(5000, 5000)],
  ['PDF', PDF],
  ['MP4', MP4],
])('a complete %s is accepted in pieces of any size', (name, file) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: file.length }),
      (pieceBytes) => inspect(file, '', pieceBytes) === name,
    ),
  );
});

test.each<[string, Buffer]>([
  ['JPEG', JPEG],
  ['PNG', png(100, 100)],
  ['PDF', PDF.subarray(0, -1)],
  ['MP4', MP4],
])('a truncated %s is refused', (_, file) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: file.length - 1 }), (length) => {
      expect(['file_corrupt', 'file_type_not_allowed']).toContain(inspect(file.subarray(0, length)));
    }),
  );
});

describe('types', () => {
  test.each<[string, Buffer]>([
    ['GIF', Buffer.from(`GIF89a${HEAD}`)],
    ['WEBP', Buffer.from(`RIFF1234WEBPVP8 ${HEAD}`)],
    ['SVG', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${HEAD}`)],
    ['HTML', Buffer.from(`<!doctype html>${HEAD}`)],
    ['ZIP or DOCX', Buffer.from(`PK\x03\x04${HEAD}`)],
    ['EXE', Buffer.from(`MZ\x90\0${HEAD}`)],
    ['MOV', Buffer.concat([box('ftyp', 'qt  \0\0\0\0qt  '), box('moov', HEAD)])],
    ['HEIC', Buffer.concat([box('ftyp', 'heic\0\0\0\0mif1'), box('meta', HEAD)])],
    ['M4A', Buffer.concat([box('ftyp', 'M4A \0\0\0\0isom'), box('moov', HEAD)])],
    ['text', Buffer.from(HEAD)],
    ['a single byte', Buffer.from('x')],
  ])('%s is not allowed', (_, file) => {
    expect(inspect(file)).toBe('file_type_not_allowed');
  });

  test('the content decides the type and must match the declared type', () => {
    expect(inspect(png(1, 1), 'application/pdf')).toBe('file_type_mismatch');
    expect(inspect(png(1, 1), 'image/jpeg')).toBe('file_type_mismatch');
    expect(inspect(JPEG, 'image/jpg')).toBe('JPEG');
    expect(inspect(PDF, 'Application/PDF; x=y')).toBe('PDF');
  });

  test.each(['', 'application/octet-stream', 'text/plain'])(
    'the declared type %j matches any file',
    (type) => {
      expect(inspect(png(1, 1), type)).toBe('PNG');
    },
  );
});

test.each([
  [60_000, 60_000],
  [5001, 5000],
  [0, 1],
  [0xffffffff, 0xffffffff],
])('a PNG of %i by %i pixels is refused', (width, height) => {
  expect(inspect(png(width, height))).toBe('file_corrupt');
});

test.each<[string, Buffer]>([
  ['of 60,000 by 60,000 pixels', jpeg(60_000, 60_000)],
  ['of one column too many', jpeg(5001, 5000)],
  ['without a width', jpeg(0, 100)],
  ['whose picture starts without a frame', jpeg(10, 10, '\xda')],
  ['that ends before its frame', Buffer.from(`\xff\xd8\xff\xe0\0\x42${'j'.repeat(64)}\xff\xd9`, 'latin1')],
  [
    'with a segment shorter than its own length',
    Buffer.from(`\xff\xd8\xff\xe0\0\x01${'j'.repeat(64)}\xff\xd9`, 'latin1'),
  ],
  [
    'with something else where a marker should be',
    Buffer.from(`\xff\xd8\xff\xe0\0\x04jj${'j'.repeat(64)}\xff\xd9`, 'latin1'),
  ],
])('a JPEG %s is refused', (_, file) => {
  const problems = [1, 7, file.length].map((pieceBytes) => inspect(file, '', pieceBytes));
  expect(new Set(problems)).toEqual(new Set(['file_corrupt']));
});

test.each([7, 8_192])('a JPEG in pieces of %i bytes holds at most 4,096 fill bytes', (pieceBytes) => {
  const filled = (count: number): Buffer =>
    Buffer.concat([JPEG.subarray(0, 2), Buffer.alloc(count, 0xff), JPEG.subarray(2)]);
  // `JPEG` itself has one.
  expect(inspect(filled(4_095), '', pieceBytes)).toBe('JPEG');
  expect(inspect(filled(4_096), '', pieceBytes)).toBe('file_corrupt');
});

test.each<[string, Buffer]>([
  ['fill bytes', Buffer.alloc(5 * MB - 2, 0xff)],
  ['empty segments', Buffer.alloc(5 * MB - 2, Buffer.from('\xff\xe0\0\x02', 'latin1'))],
])('5 MB of %s are read in linear time', (_, content) => {
  const startedAt = performance.now();
  expect(inspect(Buffer.concat([JPEG.subarray(0, 2), content]), '', 65_536)).toBe('file_corrupt');
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

test('an empty file is refused', () => {
  expect(inspect(Buffer.alloc(0))).toBe('file_empty');
});

test.each<[string, Buffer, number]>([
  ['JPEG', JPEG, 5],
  ['PNG', png(1, 1), 5],
  ['MP4', MP4, 16],
  ['PDF', PDF, 100],
])('a %s is refused as soon as it exceeds the limit of its type', (_, start, maxMb) => {
  const inspection = new MediaInspection('');
  const piece = Buffer.alloc(64 * 1024);
  expect(inspection.take(start)).toBeUndefined();
  while (inspection.sizeBytes + piece.length <= maxMb * MB) expect(inspection.take(piece)).toBeUndefined();
  expect(inspection.take(piece.subarray(0, maxMb * MB - inspection.sizeBytes))).toBeUndefined();
  expect(inspection.take(Buffer.alloc(1))).toBe('file_too_large');
});

describe('the boxes of an MP4', () => {
  const ftyp = box('ftyp', 'isom\0\0\0\0mp41');

  test.each([
    ['too many boxes', boxes(10_000)],
    ['a box of an impossible size', [Buffer.from('\0\0\0\x07mdat')]],
  ])('%s refuse a file before its end', (_, broken) => {
    const inspection = new MediaInspection('');

    expect(inspection.take(Buffer.concat([ftyp, box('moov'), ...broken]))).toBe('file_corrupt');
  });
  const long = Buffer.concat([
    Buffer.from('\0\0\0\x01mdat\0\0\0\0\0\0\0\x14', 'latin1'),
    Buffer.from('1234'),
  ]);
  const open = Buffer.from(`\0\0\0\0mdat${HEAD}`, 'latin1');

  test.each<[string, Buffer[], string]>([
    ['a box with a long size', [ftyp, long, box('moov', HEAD)], 'MP4'],
    ['a last box that extends to the end', [ftyp, box('moov', HEAD), open], 'MP4'],
    ['no index', [ftyp, box('mdat', HEAD)], 'file_corrupt'],
    ['an impossible size', [ftyp, Buffer.from(`\0\0\0\x03moov${HEAD}`, 'latin1')], 'file_corrupt'],
    ['half a header at its end', [ftyp, box('moov', HEAD), Buffer.from('\0\0\0')], 'file_corrupt'],
    ['10,000 boxes', [ftyp, box('moov'), ...boxes(9_998)], 'MP4'],
    ['more than 10,000 boxes', [ftyp, box('moov'), ...boxes(9_999)], 'file_corrupt'],
  ])('a file with %s is checked', (_, file, outcome) => {
    expect(inspect(Buffer.concat(file))).toBe(outcome);
  });
});
