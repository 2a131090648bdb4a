import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { WorkLimit } from '@signalbox/runtime/work-limit';
import { ApiError } from '../errors/api-error.ts';

/** Minimum of OWASP for argon2id: 19 MiB, 2 passes, 1 lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Hashes computed at the same time: they share the threads of the process with files and name lookups. */
const MAX_AT_ONCE = 2;
const MAX_WAITING = 50;

const SHAPE = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = promisify(argon2);

/** Hashes and compares passwords, a few at a time. */
@Injectable()
export class Passwords {
  private readonly limit = new WorkLimit(MAX_AT_ONCE);
  private inProgress = 0;
  private readonly nobodys = this.hash(randomBytes(SALT_BYTES).toString('hex'));

  /** The argon2id hash of a password in PHC format. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hashed = await this.derive(password, salt, COST);
    const { memory, passes, parallelism } = COST;
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hashed)}`;
  }

  /**
   * Compares a password with a hash. Without a hash it takes the same time, and is false.
   *
   * @throws ApiError unavailable while too many wait
   */
  async matches(password: string, hash: string | null): Promise<boolean> {
    const [, memory, passes, parallelism, salt, expected] = SHAPE.exec(hash ?? (await this.nobodys)) ?? [];
    if (!salt || !expected) throw new Error('a stored password hash is not of argon2id');
    const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
    const actual = await this.derive(password, Buffer.from(salt, 'base64'), cost);
    return timingSafeEqual(actual, Buffer.from(expected, 'base64')) && hash !== null;
  }

  private async derive(
    password: string,
    nonce: Buffer,
    cost: typeof COST | Record<keyof typeof COST, number>,
  ): Promise<Buffer> {
    if (this.inProgress >= MAX_AT_ONCE + MAX_WAITING)
      throw new ApiError('unavailable', 'Too many people sign in at this moment; try again.', {
        retryAfterSeconds: 5,
      });
    const message = password.normalize('NFKC');
    this.inProgress += 1;
    try {
      return await this.limit.run(1, () =>
        derive('argon2id', { message, nonce, tagLength: HASH_BYTES, ...cost }),
      );
    } finally {
      this.inProgress -= 1;
    }
  }
}

/** Base64 without padding, as the PHC format has it. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
