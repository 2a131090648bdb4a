import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { OpsPort } from '../ops/ops-port.ts';
import { AuthFailures } from './auth-failures.ts';
import { type Caller, type CallerRequest, callerOf } from './caller.ts';
import { KeyCache } from './key-cache.ts';
import { RateGate } from './rate-gate.ts';
import { SessionCallers } from './session-callers.ts';
import { readSessionCookie } from './session-cookie.ts';

/** Gateways sign their callbacks instead of having a key. */
const CALLBACKS = '/v1/callbacks/';

/** Endpoints that need no session, because they lead to one. Their body carries the password or the link, if any. */
const SIGN_INS = new Set(['GET /v1/session/options', 'POST /v1/session', 'POST /v1/session/link']);

/** The account that a page shows. The session may act in another one, chosen in another window of the browser. */
const ACCOUNT_HEADER = 'signalbox-account';

/** Finds the caller of a request by its key, or else by its session, and charges its rate limit, before its body is read. */
@Injectable()
export class Authentication {
  constructor(
    private readonly keys: KeyCache,
    private readonly sessions: SessionCallers,
    private readonly failures: AuthFailures,
    private readonly opsPort: OpsPort,
    private readonly rate: RateGate,
  ) {}

  /** Requires a key or a session on every route of `/v1` that is added from now on. */
  install(instance: FastifyInstance): void {
    instance.addHook('onRoute', (route) => {
      if (!route.url.startsWith('/v1/') || route.url.startsWith(CALLBACKS)) return;
      if (SIGN_INS.has(`${String(route.method)} ${route.url}`)) return;
      route.onRequest = (request, reply, done) => this.admit(request, reply, done);
    });
  }

  /** Finds the caller of a request, and charges its point. `done` gets the refusal. */
  admit(request: CallerRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    this.identify(request, (error) => {
      if (error) return done(error);
      let passing: void | Promise<void>;
      try {
        passing = this.rate.passRequest(callerOf(request), reply);
      } catch (refusal) {
        return done(refusal as Error);
      }
      if (passing) passing.then(() => done(), done);
      else done();
    });
  }

  /** Returns false once the key or the session of a request has ended, or its account is suspended. */
  async isLive(request: CallerRequest): Promise<boolean> {
    const key = keyOf(request.headers);
    if (key !== undefined) return (await this.keys.find(key))?.accountStatus === 'active';
    const token = readSessionCookie(request);
    return token !== undefined && this.sessions.isLive(token, callerOf(request));
  }

  /** @throws ApiError api_key_invalid, session_expired, once `isLive` is false */
  async requireLive(request: CallerRequest): Promise<void> {
    if (await this.isLive(request)) return;
    throw new ApiError(callerOf(request).user ? 'session_expired' : 'api_key_invalid');
  }

  /** Finds the caller of a request; `done` gets the refusal of a request without one. */
  private identify(request: CallerRequest, done: (error?: Error) => void): void {
    const key = keyOf(request.headers);
    if (key === undefined) return this.identifyUser(request, done);
    const known = this.keys.peek(key);
    if (known?.value) return done(this.acceptCaller(request, known.value, 'api_key_invalid'));
    // A wrong key is refused a tick later, also when it is cached: the body may arrive in that tick, and an answer before
    // it closes the connection. So the answer to a wrong key does not show whether the key is cached.
    this.keys
      .find(key)
      .then(
        (caller) => setImmediate(() => done(this.acceptCaller(request, caller, 'api_key_invalid'))),
        done,
      );
  }

  private identifyUser(request: CallerRequest, done: (error?: Error) => void): void {
    const token = readSessionCookie(request);
    if (token === undefined) return done(this.failures.refusal(request.ip, 'api_key_missing'));
    this.sessions.find(token).then((caller) => done(this.acceptUser(request, caller)), done);
  }

  /** Sets the user of a request as its caller. @returns the refusal of a request without one, or for another account */
  private acceptUser(request: CallerRequest, user: Caller | undefined): ApiError | undefined {
    const shown = request.headers[ACCOUNT_HEADER];
    if (user && shown !== undefined && shown !== user.accountId) return new ApiError('account_changed');
    return this.acceptCaller(request, user, 'session_expired');
  }

  /** Sets the caller of a request. @returns the refusal of a request without one */
  private acceptCaller(
    request: CallerRequest,
    caller: Caller | undefined,
    code: 'api_key_invalid' | 'session_expired',
  ): ApiError | undefined {
    if (!caller) return this.failures.refusal(request.ip, code);
    request.caller = this.opsPort.admit(caller, request);
    return undefined;
  }
}

/** The key of the header `apikey`, or else of `Authorization: Bearer`. */
function keyOf({ apikey, authorization }: IncomingHttpHeaders): string | undefined {
  if (typeof apikey === 'string' && apikey.trim() !== '') return apikey;
  return authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}
