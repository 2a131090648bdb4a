import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretKeys } from '@signalbox/runtime/seal';
import type { MessageKey } from '@signalbox/domain/message-id';
import { violation } from '@signalbox/domain/violation';
import { invalidRequest } from '../errors/api-error.ts';
import type { PageQuery } from './page-query.ts';

const ID_BYTES = 16;
const N_BYTES = 4;
const MAC_BYTES = 12;

const NOT_OURS = 'must be the nextCursor of an earlier page of this list';

/** Encrypts a single block, which is as long as an id. */
const CIPHER = 'aes-128-ecb';
const CIPHER_KEY_BYTES = 16;

/** Rows that are identified by numbers. */
interface NumberedRows<R, V> {
  /** Returns the digits of the number of a row. */
  digits: (row: R) => string;
  /** Returns the first `limit` rows beyond those digits, or from the start. */
  read: (limit: number, beyond: string | undefined) => Promise<R[]>;
  view: (row: R) => V;
}

/**
 * Encodes the end of a page as text for the caller to return. A cursor is signed for one list of one account: a forged,
 * changed or foreign one is refused.
 */
export class Cursors {
  private readonly keys: SecretKeys;

  /** @param keys shared by all processes: the first signs, all verify */
  constructor(...keys: SecretKeys) {
    this.keys = keys;
  }

  /** @param id the UUID of the last row of the page */
  encode(list: string, accountId: string, id: string): string {
    return this.sign(list, accountId, toBytes(id));
  }

  /** Decodes the UUID of a cursor. @throws ApiError invalid_request */
  decode(list: string, accountId: string, cursor: string): string {
    return toUuid(this.open(list, accountId, cursor, ID_BYTES).bytes);
  }

  /** Encodes a row that is identified by a number, given as its digits. Callers cannot read the number. */
  encodeDigits(list: string, accountId: string, digits: string): string {
    const cipher = createCipheriv(CIPHER, cipherKey(this.keys[0]), null).setAutoPadding(false);
    return this.sign(`${list} digits`, accountId, cipher.update(toBytes(digits.padStart(2 * ID_BYTES, '0'))));
  }

  /** Decodes the digits of a cursor of `encodeDigits`. @throws ApiError invalid_request */
  decodeDigits(list: string, accountId: string, cursor: string): string {
    const { bytes, key } = this.open(`${list} digits`, accountId, cursor, ID_BYTES);
    const decipher = createDecipheriv(CIPHER, cipherKey(key), null).setAutoPadding(false);
    return decipher.update(bytes).toString('hex').replace(/^0+/, '');
  }

  /** @param key of the last message of the page */
  encodeMessage(list: string, accountId: string, { submissionId, n }: MessageKey): string {
    const bytes = Buffer.concat([toBytes(submissionId), Buffer.alloc(N_BYTES)]);
    bytes.writeUInt32BE(n, ID_BYTES);
    return this.sign(list, accountId, bytes);
  }

  /** Decodes the message of a cursor. @throws ApiError invalid_request */
  decodeMessage(list: string, accountId: string, cursor: string): MessageKey {
    const { bytes } = this.open(list, accountId, cursor, ID_BYTES + N_BYTES);
    return { submissionId: toUuid(bytes), n: bytes.readUInt32BE(ID_BYTES) };
  }

  /**
   * Reads a page of a list whose rows are identified by UUIDs.
   *
   * @param read returns the first `limit` rows beyond an id, or from the start
   * @throws ApiError invalid_request for a cursor of another list or account
   */
  async page<R extends { id: string }, V>(
    list: string,
    accountId: string,
    { limit, cursor }: Pick<PageQuery, 'limit' | 'cursor'>,
    read: (limit: number, beyond: string | undefined) => Promise<R[]>,
    view: (row: R) => V,
  ): Promise<{ page: V[]; nextCursor: string | null }> {
    const beyond = cursor === undefined ? undefined : this.decode(list, accountId, cursor);
    const { rows, last } = cut(await read(limit + 1, beyond), limit);
    return { page: rows.map((row) => view(row)), nextCursor: last && this.encode(list, accountId, last.id) };
  }

  /**
   * Reads a page of a list whose rows are identified by numbers.
   *
   * @throws ApiError invalid_request for a cursor of another list or account
   */
  async pageByDigits<R, V>(
    list: string,
    accountId: string,
    { limit, cursor }: Pick<PageQuery, 'limit' | 'cursor'>,
    { digits, read, view }: NumberedRows<R, V>,
  ): Promise<{ page: V[]; nextCursor: string | null }> {
    const beyond = cursor === undefined ? undefined : this.decodeDigits(list, accountId, cursor);
    const { rows, last } = cut(await read(limit + 1, beyond), limit);
    const nextCursor = last && this.encodeDigits(list, accountId, digits(last));
    return { page: rows.map((row) => view(row)), nextCursor };
  }

  private sign(list: string, accountId: string, bytes: Buffer): string {
    return Buffer.concat([bytes, this.mac(this.keys[0], list, accountId, bytes)]).toString('base64url');
  }

  /** Returns the content of a cursor, and the key that signed it. @throws ApiError invalid_request */
  private open(
    list: string,
    accountId: string,
    cursor: string,
    size: number,
  ): { bytes: Buffer; key: string } {
    const all = Buffer.from(cursor, 'base64url');
    const bytes = all.subarray(0, size);
    const mac = all.subarray(size);
    const key =
      mac.length === MAC_BYTES
        ? this.keys.find((each) => timingSafeEqual(mac, this.mac(each, list, accountId, bytes)))
        : undefined;
    if (key !== undefined) return { bytes, key };
    throw invalidRequest([violation('cursor', 'invalid_format', NOT_OURS)]);
  }

  private mac(key: string, list: string, accountId: string, bytes: Buffer): Buffer {
    return createHmac('sha256', key)
      .update(`cursor ${list} ${accountId} `)
      .update(bytes)
      .digest()
      .subarray(0, MAC_BYTES);
  }
}

/** Returns the rows of a page, and the last of them if there are more: null if not. */
function cut<R>(found: R[], limit: number): { rows: R[]; last: R | null } {
  const rows = found.slice(0, limit);
  return { rows, last: found.length > limit ? rows.at(-1)! : null };
}

function toBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function toUuid(bytes: Buffer): string {
  return bytes.toString('hex', 0, ID_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function cipherKey(key: string): Buffer {
  return createHmac('sha256', key).update('cursor digits').digest().subarray(0, CIPHER_KEY_BYTES);
}
