import { Injectable } from '@nestjs/common';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import type { Caller } from './caller.ts';
import { RateLimiter, type Verdict, WINDOW_SECONDS } from './rate-limiter.ts';

/** Points that every request costs, charged before its body is read, and kept when the rest is refused. */
export const REQUEST_COST = 1;

/** Points of a write that leaves a row in the audit log, which is kept for a year. */
const AUDITED_COST = 5;

/**
 * Charges the rate limit of a key, and sets the RateLimit headers of the answer
 * (draft-ietf-httpapi-ratelimit-headers).
 */
@Injectable()
export class RateGate {
  constructor(private readonly limiter: RateLimiter) {}

  /**
   * Charges the point that every request costs, before its body is read. Returns as `pass` does.
   *
   * @throws ApiError rate_limited, with Retry-After
   */
  passRequest(caller: KeyHolder, reply: FastifyReply): void | Promise<void> {
    return this.pass(caller, REQUEST_COST, reply);
  }

  /**
   * Charges what a call costs beyond the point of its request. Returns as `pass` does.
   *
   * @param cost points of its endpoint
   * @throws ApiError rate_limited, with Retry-After
   */
  passCall(caller: Caller, cost: number, reply: FastifyReply): void | Promise<void> {
    const points = Math.max(cost, chargedBefore(caller)) - REQUEST_COST;
    return points > 0 ? this.pass(caller, points, reply) : undefined;
  }

  /**
   * Charges a bulk, whose call was charged before.
   *
   * @throws ApiError bulk_exceeds_rate_limit, which costs nothing; rate_limited
   */
  async passBulk(caller: Caller, messages: number, reply: FastifyReply): Promise<void> {
    const limit = this.limiter.limitOf(caller);
    const charged = chargedBefore(caller);
    if (messages > limit) {
      this.limiter.refund(caller, charged);
      throw neverAllowed(limit, messages);
    }
    if (messages > charged) await this.pass(caller, messages - charged, reply);
  }

  /**
   * Returns a promise only for a key near its limit, whose points are counted in Redis before it passes.
   *
   * @param points at least 1
   * @throws ApiError rate_limited, with Retry-After
   */
  pass(caller: KeyHolder, points: number, reply: FastifyReply): void | Promise<void> {
    const verdict = this.limiter.charge(caller, points);
    if (verdict instanceof Promise) return verdict.then((counted) => apply(counted, reply));
    apply(verdict, reply);
  }
}

/** The points of a call, unless its endpoint costs more. */
function chargedBefore({ audit }: Caller): number {
  return audit ? AUDITED_COST : REQUEST_COST;
}

/** @throws ApiError rate_limited */
function apply({ allowed, limit, remaining, resetSeconds }: Verdict, reply: FastifyReply): void {
  reply.header('RateLimit-Policy', `"default";q=${limit};w=${WINDOW_SECONDS}`);
  reply.header('RateLimit', `"default";r=${remaining};t=${resetSeconds}`);
  if (!allowed) throw rateLimited(limit, resetSeconds);
}

/** The refusal of a bulk that is larger than the limit of a whole window. */
function neverAllowed(limit: number, points: number): ApiError {
  return new ApiError(
    'bulk_exceeds_rate_limit',
    `The bulk costs ${points} points, and the limit is ${limit} points in ${WINDOW_SECONDS} seconds.`,
  );
}

function rateLimited(limit: number, retryAfterSeconds: number): ApiError {
  const message = `The limit is ${limit} points in ${WINDOW_SECONDS} seconds; try again in ${retryAfterSeconds} s.`;
  return new ApiError('rate_limited', message, { retryAfterSeconds });
}
