import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  randomBytes,
} from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;

/** Follows the key id of a value that is bound to its row. The last byte is the version of the format. */
const BOUND = Buffer.from([0x00, 0x53, 0x42, 0x01]);

/** Keys of 32 bytes in base64: the first seals, all of them open. */
export type SecretKeys = readonly [string, ...string[]];

/** A row with a sealed value. The value opens in this row only. */
export interface SealedRow {
  table:
    | 'app_user'
    | 'gateway'
    | 'idempotency_key'
    | 'phone_message'
    | 'submission'
    | 'used_sign_in'
    | 'verification_config'
    | 'verification_step'
    | 'webhook';
  /** Null where the code that seals does not know the account; the id alone names the row. */
  accountId: string | null;
  /** The key of the row within its table and account, and of the value within its row. */
  id: string;
}

/**
 * Encrypts values that must not be readable in the database: AES-256-GCM under a key that is kept outside of it. A
 * sealed value is `key id (4) | BOUND (4) | iv (12) | tag (16) | ciphertext`; the key id selects the key that opens it.
 * Its row is authenticated with it, so that a value copied to another row does not open. Values of earlier versions
 * lack BOUND and the row; they still open.
 */
export class Sealer {
  /** Ids of the keys, SECRETS_KEY first: the first 4 bytes of values that each seals. */
  readonly keyIds: readonly Buffer[];
  /** Beginning of new sealed values: a value that begins otherwise is due to be sealed again. */
  readonly prefix: Buffer;
  // A cipher prepares a key that is given as bytes each time, which costs more than the cipher.
  private readonly key: KeyObject;
  private readonly keys: ReadonlyMap<number, KeyObject>;

  /** @param keys SECRETS_KEY, then SECRETS_KEYS_OLD */
  constructor(...keys: SecretKeys) {
    const bytes = keys.map((key) => Buffer.from(key, 'base64'));
    this.key = createSecretKey(bytes[0]!);
    this.keyIds = bytes.map(idOf);
    this.prefix = Buffer.concat([idOf(bytes[0]!), BOUND]);
    this.keys = new Map(bytes.toReversed().map((key) => [idOf(key).readUInt32BE(), createSecretKey(key)]));
  }

  /** Seals a value for one row. The same text is sealed to other bytes each time. */
  seal(text: string, row: SealedRow): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(nameOf(row));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([this.prefix, iv, cipher.getAuthTag(), body]);
  }

  /** True for a value sealed with one of these keys. It may still fail to open: see `tryOpen`. */
  canOpen(sealed: Buffer): boolean {
    return this.keyOf(sealed) !== undefined;
  }

  /**
   * Opens a value of a batch, where one that is damaged must not fail the others.
   *
   * @returns undefined when the value was sealed with another key or for another row, or was changed since
   */
  tryOpen(sealed: Buffer, row: SealedRow): string | undefined {
    try {
      return this.open(sealed, row);
    } catch {
      return undefined;
    }
  }

  /** @throws Error when the value was sealed with another key or for another row, or was changed since */
  open(sealed: Buffer, row: SealedRow): string {
    const key = this.keyOf(sealed);
    if (!key) throw new Error('a secret was sealed with another SECRETS_KEY than this process has');
    const isBound = BOUND.equals(sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + BOUND.length));
    const rest = sealed.subarray(KEY_ID_BYTES + (isBound ? BOUND.length : 0));
    const decipher = createDecipheriv('aes-256-gcm', key, rest.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    if (isBound) decipher.setAAD(nameOf(row));
    decipher.setAuthTag(rest.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return decipher.update(rest.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }

  private keyOf(sealed: Buffer): KeyObject | undefined {
    return sealed.length < KEY_ID_BYTES ? undefined : this.keys.get(sealed.readUInt32BE());
  }
}

function nameOf({ table, accountId, id }: SealedRow): Buffer {
  return Buffer.from(`${table} ${accountId ?? ''} ${id}`);
}

function idOf(key: Buffer): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);
}
