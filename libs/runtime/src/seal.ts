import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;

/**
 * Encrypts what must not be readable in the database: AES-256-GCM under a key that is kept outside of it.
 * A sealed value is `key id (4) | iv (12) | tag (16) | ciphertext`; the key id tells which key opens it.
 */
export class Sealer {
  private readonly key: Buffer;
  private readonly keyId: Buffer;

  /** @param key 32 bytes in base64 (SECRETS_KEY) */
  constructor(key: string) {
    this.key = Buffer.from(key, 'base64');
    this.keyId = createHash('sha256').update(this.key).digest().subarray(0, KEY_ID_BYTES);
  }

  seal(text: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([this.keyId, iv, cipher.getAuthTag(), body]);
  }

  /** Whether a value was sealed with this key. */
  canOpen(sealed: Buffer): boolean {
    return sealed.subarray(0, KEY_ID_BYTES).equals(this.keyId);
  }

  /** @throws Error when the value was sealed with another key or changed since */
  open(sealed: Buffer): string {
    if (!this.canOpen(sealed)) throw new Error('a secret was sealed with another SECRETS_KEY than this process has');
    const iv = sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.key, iv);
    decipher.setAuthTag(sealed.subarray(KEY_ID_BYTES + IV_BYTES, KEY_ID_BYTES + IV_BYTES + TAG_BYTES));
    return decipher.update(sealed.subarray(KEY_ID_BYTES + IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }
}
