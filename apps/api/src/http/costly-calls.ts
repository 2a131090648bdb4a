import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { type Observable, defer, lastValueFrom } from 'rxjs';
import { type CallerRequest, callerOf } from '../auth/caller.ts';
import { KeyedMutex } from './keyed-mutex.ts';

/** Points from which on the calls of an account run one after the other. */
export const COSTLY = 5;

/** Runs calls of an account one after the other, so that they leave connections to other accounts. */
class SerialCalls implements NestInterceptor {
  private readonly calls: KeyedMutex;

  /** @param subject as the refusal of too many names it */
  constructor(subject: string) {
    this.calls = new KeyedMutex(subject);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { accountId } = callerOf(context.switchToHttp().getRequest<CallerRequest>());
    return defer(() => this.calls.run(accountId, () => lastValueFrom(next.handle())));
  }
}

/** Shared by all endpoints that cost at least COSTLY. */
export const COSTLY_CALLS = new SerialCalls('costly calls of one account');

/** Shared by the other endpoints that search rows. */
export const SEARCHING_CALLS = new SerialCalls('searches of one account');
