import { createHmac } from 'node:crypto';
import type { SecretKeys } from '@signalbox/runtime/seal';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

const SHAPE = /^[\x20-\x7e]{1,255}$/;

/** One use of an idempotency key: whose, where, and with what body. */
export interface KeyedCall {
  path: string;
  key: string;
  bodyHash: Buffer;
  /** The hashes that a first call of the time of an older key may have left. */
  olderBodyHashes?: Buffer[];
}

/** Reads Idempotency-Key headers. Of a body it keeps a keyed hash: from a plain one, the six digits of a code could be guessed. */
export class IdempotencyKeys {
  private readonly secrets: SecretKeys;

  /** @param secrets any secrets that all pods share, the newest first; with another one, a repeat counts as another body */
  constructor(...secrets: SecretKeys) {
    this.secrets = secrets;
  }

  /** The call that a key names; undefined when there is no key. @throws ApiError idempotency_key_invalid */
  read(path: string, key: string | undefined, request: object): KeyedCall | undefined {
    if (key === undefined) return undefined;
    if (!SHAPE.test(key)) throw new ApiError('idempotency_key_invalid');
    const body = JSON.stringify(request);
    const [bodyHash, ...olderBodyHashes] = this.secrets.map((secret) => hashOf(secret, body)) as [
      Buffer,
      ...Buffer[],
    ];
    return { path, key, bodyHash, olderBodyHashes };
  }
}

function hashOf(secret: string, body: string): Buffer {
  return createHmac('sha256', secret).update('idempotency ').update(body).digest();
}

/** Marks an answer as the one given before. @throws ApiError idempotency_key_reused when that was for another body */
export function replayed<A>(reply: FastifyReply, call: KeyedCall, first: { bodyHash: Buffer }, answer: A): A {
  if (![call.bodyHash, ...(call.olderBodyHashes ?? [])].some((hash) => hash.equals(first.bodyHash)))
    throw new ApiError('idempotency_key_reused');
  reply.header('Idempotent-Replayed', 'true');
  return answer;
}

/** The keyed calls under way in this process: a second one with the same key is told so instead of waiting. */
export class KeyedCalls {
  private readonly running = new Set<string>();

  /** @throws ApiError idempotency_in_progress */
  async run<R>(accountId: string, call: KeyedCall | undefined, work: () => Promise<R>): Promise<R> {
    if (!call) return work();
    const id = `${accountId} ${call.path} ${call.key}`;
    if (this.running.has(id)) throw new ApiError('idempotency_in_progress');
    this.running.add(id);
    try {
      return await work();
    } finally {
      this.running.delete(id);
    }
  }
}
