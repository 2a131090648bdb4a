import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { AuthFailures } from './auth-failures.ts';
import type { CallerRequest } from './caller.ts';
import { KeyCache } from './key-cache.ts';

/** Gateways sign their callbacks instead of having a key. */
const CALLBACKS = '/v1/callbacks/';

/** Finds the caller of a request by its key, before its body is read. */
@Injectable()
export class Authentication {
  constructor(
    private readonly keys: KeyCache,
    private readonly failures: AuthFailures,
  ) {}

  /** Requires a key on every route of `/v1` that is added from now on. */
  install(instance: FastifyInstance): void {
    instance.addHook('onRoute', (route) => {
      if (!route.url.startsWith('/v1/') || route.url.startsWith(CALLBACKS)) return;
      route.onRequest = (request, _reply, done) => this.identify(request, done);
    });
  }

  private identify(request: CallerRequest, done: (error?: Error) => void): void {
    const key = keyOf(request.headers);
    if (key === undefined) return done(this.refusal(request, 'api_key_missing'));
    const known = this.keys.peek(key);
    if (known?.value) return done(this.setCaller(request, known.value));
    // A cached refusal waits, too: all wrong keys get the same answer, whether or not the body came with the head.
    this.keys.find(key).then((caller) => setImmediate(() => done(this.setCaller(request, caller))), done);
  }

  private setCaller(request: CallerRequest, caller: KeyHolder | undefined): ApiError | undefined {
    if (!caller) return this.refusal(request, 'api_key_invalid');
    request.caller = caller;
    return undefined;
  }

  private refusal({ ip }: CallerRequest, code: 'api_key_missing' | 'api_key_invalid'): ApiError {
    const retryAfterSeconds = this.failures.count(ip);
    if (retryAfterSeconds === undefined) return new ApiError(code);
    const message = `Too many failed authentications from this address. Requests with a valid key are served; others may try again in ${retryAfterSeconds} s.`;
    return new ApiError('rate_limited', message, { retryAfterSeconds });
  }
}

/** The key of the header `apikey`, or else of `Authorization: Bearer`. */
function keyOf({ apikey, authorization }: IncomingHttpHeaders): string | undefined {
  if (typeof apikey === 'string' && apikey.trim() !== '') return apikey;
  return authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}
