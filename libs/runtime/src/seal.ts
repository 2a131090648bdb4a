import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;

/** Keys of 32 bytes in base64: the first seals, all of them open. */
export type SecretKeys = readonly [string, ...string[]];

/**
 * Encrypts values that must not be readable in the database: AES-256-GCM under a key that is kept outside of it.
 * A sealed value is `key id (4) | iv (12) | tag (16) | ciphertext`; the key id selects the key that opens it.
 */
export class Sealer {
  /** Key ids of the older keys: a value that begins with one is due to be sealed again. */
  readonly olderKeyIds: readonly Buffer[];
  private readonly keyId: Buffer;
  private readonly key: Buffer;
  private readonly keys: ReadonlyMap<number, Buffer>;

  /** @param keys SECRETS_KEY, then SECRETS_KEYS_OLD */
  constructor(...keys: SecretKeys) {
    const bytes = keys.map((key) => Buffer.from(key, 'base64'));
    this.key = bytes[0]!;
    this.keyId = idOf(this.key);
    this.olderKeyIds = bytes.slice(1).map(idOf);
    this.keys = new Map(bytes.toReversed().map((key) => [idOf(key).readUInt32BE(), key]));
  }

  seal(text: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([this.keyId, iv, cipher.getAuthTag(), body]);
  }

  /** True for a value sealed with one of these keys. It may still fail to open: see `tryOpen`. */
  canOpen(sealed: Buffer): boolean {
    return this.keyOf(sealed) !== undefined;
  }

  /**
   * Opens a value of a batch, where one that is damaged must not fail the others.
   *
   * @returns undefined when the value was sealed with another key, or was changed since
   */
  tryOpen(sealed: Buffer): string | undefined {
    try {
      return this.open(sealed);
    } catch {
      return undefined;
    }
  }

  /** @throws Error when the value was sealed with another key, or was changed since */
  open(sealed: Buffer): string {
    const key = this.keyOf(sealed);
    if (!key) throw new Error('a secret was sealed with another SECRETS_KEY than this process has');
    const iv = sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, iv);
    decipher.setAuthTag(sealed.subarray(KEY_ID_BYTES + IV_BYTES, KEY_ID_BYTES + IV_BYTES + TAG_BYTES));
    return (
      decipher.update(sealed.subarray(KEY_ID_BYTES + IV_BYTES + TAG_BYTES), undefined, 'utf8') +
      decipher.final('utf8')
    );
  }

  private keyOf(sealed: Buffer): Buffer | undefined {
    return sealed.length < KEY_ID_BYTES ? undefined : this.keys.get(sealed.readUInt32BE());
  }
}

function idOf(key: Buffer): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);
}
