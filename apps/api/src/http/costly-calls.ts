import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { type Observable, defer, lastValueFrom } from 'rxjs';
import { type CallerRequest, callerOf } from '../auth/caller.ts';
import { KeyedLimit } from './keyed-limit.ts';

/** Points from which on the calls of an account run one after the other. */
export const COSTLY = 5;

/** Connections for reads, which all accounts share. */
export const READ_POOL_SIZE = 4;

/** Limits the concurrent reads of an account, so that another account finds a connection. */
export const READS_OF_ACCOUNT = new KeyedLimit('reads of one account', READ_POOL_SIZE - 1);

/**
 * Limits the concurrent writes of an account, which may all wait for the same row. Codes, callbacks of gateways and the
 * writes of other accounts find a connection meanwhile.
 */
export const WRITES_OF_ACCOUNT = new KeyedLimit('writes of one account', 3);

/** Runs calls of an account within one of its limits. */
class LimitedCalls implements NestInterceptor {
  constructor(private readonly limit: KeyedLimit) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { accountId } = callerOf(context.switchToHttp().getRequest<CallerRequest>());
    return defer(() => this.run(accountId, () => lastValueFrom(next.handle())));
  }

  protected run<R>(accountId: string, call: () => Promise<R>): Promise<R> {
    return this.limit.run(accountId, call);
  }
}

/**
 * Runs calls of an account one after the other, within its limit of reads, so that they leave connections to its own
 * reads.
 */
class SerialCalls extends LimitedCalls {
  private readonly calls: KeyedLimit;

  /** @param subject as the refusal of too many names it */
  constructor(subject: string) {
    super(READS_OF_ACCOUNT);
    this.calls = new KeyedLimit(subject);
  }

  protected override run<R>(accountId: string, call: () => Promise<R>): Promise<R> {
    return this.calls.run(accountId, () => super.run(accountId, call));
  }
}

/** Shared by all endpoints that cost at least COSTLY. */
export const COSTLY_CALLS = new SerialCalls('costly calls of one account');

/** Shared by the other endpoints that search rows. */
export const SEARCHING_CALLS = new SerialCalls('searches of one account');

/** Shared by all other endpoints that read. */
export const READING_CALLS = new LimitedCalls(READS_OF_ACCOUNT);

/** Shared by all other endpoints that write. */
export const WRITING_CALLS = new LimitedCalls(WRITES_OF_ACCOUNT);
