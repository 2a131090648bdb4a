import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretKeys } from '@signalbox/runtime/seal';
import { invalidRequest } from '../errors/api-error.ts';

const ID_BYTES = 16;
const MAC_BYTES = 12;

/**
 * Where a page of a list ended, as text for the caller to give back. It is signed for one list of one account, so that
 * one that was made up, changed, or another tenant's is refused.
 */
export class Cursors {
  private readonly keys: SecretKeys;

  /** @param keys any secrets that all pods share: the first signs, all are known */
  constructor(...keys: SecretKeys) {
    this.keys = keys;
  }

  /** @param id the UUID of the last row of the page */
  encode(list: string, accountId: string, id: string): string {
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
    return Buffer.concat([bytes, this.mac(this.keys[0], list, accountId, bytes)]).toString('base64url');
  }

  /** The UUID that a cursor holds. @throws ApiError invalid_request */
  decode(list: string, accountId: string, cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url');
    const id = bytes.subarray(0, ID_BYTES);
    const mac = bytes.subarray(ID_BYTES);
    if (mac.length !== MAC_BYTES || !this.keys.some((key) => timingSafeEqual(mac, this.mac(key, list, accountId, id)))) {
      throw invalidRequest([
        { field: 'cursor', rule: 'invalid_format', message: 'must be the nextCursor of an earlier page of this list' },
      ]);
    }
    return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  /** The same for rows that are known by a number, given as its digits. */
  encodeDigits(list: string, accountId: string, digits: string): string {
    return this.encode(list, accountId, digits.padStart(2 * ID_BYTES, '0'));
  }

  /** The digits that a cursor of `encodeDigits` holds. @throws ApiError invalid_request */
  decodeDigits(list: string, accountId: string, cursor: string): string {
    return this.decode(list, accountId, cursor).replaceAll('-', '').replace(/^0+/, '');
  }

  private mac(key: string, list: string, accountId: string, id: Buffer): Buffer {
    return createHmac('sha256', key).update(`cursor ${list} ${accountId} `).update(id).digest().subarray(0, MAC_BYTES);
  }
}
