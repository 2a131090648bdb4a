import type { MediaKind } from '../templates/template.ts';

const MB = 1024 * 1024;

/** A type of file that can be uploaded for the header of a template. */
export interface MediaType {
  name: 'JPEG' | 'PNG' | 'MP4' | 'PDF';
  kind: MediaKind;
  mimeType: string;
  maxBytes: number;
}

const JPEG: MediaType = { name: 'JPEG', kind: 'IMAGE', mimeType: 'image/jpeg', maxBytes: 5 * MB };
const PNG: MediaType = { name: 'PNG', kind: 'IMAGE', mimeType: 'image/png', maxBytes: 5 * MB };
const MP4: MediaType = { name: 'MP4', kind: 'VIDEO', mimeType: 'video/mp4', maxBytes: 16 * MB };
const PDF: MediaType = { name: 'PDF', kind: 'DOCUMENT', mimeType: 'application/pdf', maxBytes: 100 * MB };

/** Bytes of the largest file of any type. */
export const MAX_MEDIA_BYTES = PDF.maxBytes;

/** Bytes at the start of a file that identify its type. */
export const SNIFFED_BYTES = 32;

const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Brands of MP4 video. QuickTime, audio and still images have other brands in the same place. */
const MP4_BRAND = /^(isom|iso[2-9]|mp4[12]|avc1|M4V |MSNV|dash|mmp4)$/;

/** Types that clients declare for any file. A part without a type is plain text (RFC 7578, 4.4). */
const ANY_FILE = new Set(['', 'application/octet-stream', 'text/plain']);

/** Recognizes the type of a file by its first bytes; undefined if it is not accepted. */
export function sniffMediaType(head: Buffer): MediaType | undefined {
  if (startsWith(head, JPEG_START)) return JPEG;
  if (startsWith(head, PNG_START)) return PNG;
  if (head.toString('latin1', 0, 5) === '%PDF-') return PDF;
  const isMp4 = head.toString('latin1', 4, 8) === 'ftyp' && MP4_BRAND.test(head.toString('latin1', 8, 12));
  return isMp4 ? MP4 : undefined;
}

/** Checks that a declared type matches the content, or is one that clients declare for any file. */
export function isDeclaredType(type: MediaType, declared: string): boolean {
  const name = declared.split(';', 1)[0]!.trim().toLowerCase();
  if (ANY_FILE.has(name)) return true;
  return name === type.mimeType || (type.name === 'JPEG' && name === 'image/jpg');
}

function startsWith(head: Buffer, start: Buffer): boolean {
  return head.subarray(0, start.length).equals(start);
}
