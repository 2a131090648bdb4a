import { createHmac } from 'node:crypto';
import type { IdempotentCall } from '@signalbox/database/submissions/idempotency-keys';
import type { SecretKeys } from '@signalbox/runtime/seal';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

const SHAPE = /^[\x20-\x7e]{1,255}$/;

/** A call with an idempotency key, as it is stored, and what a comparison with the first call needs. */
export interface KeyedCall extends IdempotentCall {
  /** Hashes by older secrets, which a first call before a rotation may have left. */
  olderBodyHashes?: Buffer[];
}

/** Reads Idempotency-Key headers. Bodies are kept as keyed hashes: a plain hash would reveal a six-digit code. */
export class IdempotencyKeys {
  private readonly secrets: SecretKeys;

  /** @param secrets shared by all processes, the newest first. With other secrets, a repeat looks like another body. */
  constructor(...secrets: SecretKeys) {
    this.secrets = secrets;
  }

  /** Reads the key of a call; undefined without one. @throws ApiError idempotency_key_invalid */
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

/**
 * Marks an answer as a replay of the first one.
 *
 * @throws ApiError idempotency_key_reused when the first call had another body
 */
export function replayed<A>(reply: FastifyReply, call: KeyedCall, first: { bodyHash: Buffer }, answer: A): A {
  requireSameBody(call, first);
  reply.header('Idempotent-Replayed', 'true');
  return answer;
}

/** @throws ApiError idempotency_key_reused when the first call had another body */
export function requireSameBody(
  { bodyHash, olderBodyHashes = [] }: KeyedCall,
  first: { bodyHash: Buffer },
): void {
  if (![bodyHash, ...olderBodyHashes].some((hash) => hash.equals(first.bodyHash)))
    throw new ApiError('idempotency_key_reused');
}

/** The calls with an idempotency key in progress in this process. A concurrent repeat fails instead of waiting. */
export class CallsInProgress {
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
