import { type CanActivate, type ExecutionContext, Injectable, RequestMethod } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { getOrInsert } from '@signalbox/domain/get-or-insert';
import type { Role } from '@signalbox/domain/role';
import type { FastifyReply } from 'fastify';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ApiError } from '../errors/api-error.ts';
import { planOf } from '../http/dto-plan.ts';
import { parametersOf } from '../http/parameters.ts';
import { OpsPort } from '../ops/ops-port.ts';
import { unknownParameters } from '../http/unknown-parameters.ts';
import { AuditLog } from './audit-log.ts';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { type Access, AccessOf, type Caller, type CallerRequest, callerOf } from './caller.ts';
import { maskedAnswer } from './masked-answer.ts';
import { RateGate } from './rate-gate.ts';
import { isSameOrigin } from './same-origin.ts';

/** Unknown parameters that a refusal names. */
const MAX_NAMED = 10;

const ELSEWHERE = 'Operations are served on a separate port of this service, its OPS_PORT.';

/** The access of an endpoint, and what its method and its parameters say. */
export interface Terms extends Access {
  /** True for an endpoint that changes something. */
  writes: boolean;
  /** True for a route with query parameters; their class declares which. */
  hasQuery: boolean;
  /** True for a route whose body may ask for a dry run. */
  previews: boolean;
}

/** An endpoint without a declaration is closed to all. */
const CLOSED: Access = {
  id: '',
  scope: [],
  cost: 1,
  reads: false,
  personal: false,
  whileSuspended: false,
  traffic: false,
};

/**
 * Admits a request whose caller has an active account and the endpoint's scope, within the rate limit of the key or
 * user. A write by a session must come from a page of this service, and by a role that writes.
 */
@Injectable()
export class CallerGuard implements CanActivate {
  private readonly terms = new Map<Function, Terms>();

  constructor(
    private readonly reflector: Reflector,
    private readonly rate: RateGate,
    private readonly log: AuditLog,
    private readonly opsPort: OpsPort,
    private readonly throttle: AccountThrottle,
  ) {}

  /**
   * Returns a promise only when the rate limit must be counted first: a promise per request would cost more than the
   * check.
   */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<CallerRequest>();
    const terms = this.termsOf(context.getClass(), context.getHandler());
    if (terms.scope === 'none') return admitAnyone(request, terms);
    const passing = this.admit(request, http.getResponse<FastifyReply>(), terms);
    return passing ? passing.then(() => true) : true;
  }

  /** Admits a request whose caller was identified. Throws, or rejects, with the refusal. */
  admit(request: CallerRequest, reply: FastifyReply, terms: Terms): void | Promise<void> {
    const { caller } = request;
    if (!caller) throw new ApiError('api_key_missing');
    if (caller.user !== undefined) requireRight(request, caller, terms);
    else if (terms.personal) throw new ApiError('session_required');
    if (caller.accountStatus !== 'active' && !passesSuspended(caller, terms))
      throw new ApiError('account_suspended');
    this.requireScope(request, caller, terms.scope);
    if (!terms.hasQuery) requireNoQuery(request.query);
    if (caller.user !== undefined || (terms.writes && !terms.traffic))
      this.prepareFinish(request, caller, terms);
    this.throttle.noteActivity(caller.accountId);
    return this.rate.passCall(callerOf(request), terms.cost, reply);
  }

  /** @throws ApiError scope_missing */
  private requireScope(request: CallerRequest, { scopes, user }: Caller, scope: Access['scope']): void {
    if (scope === 'any' || (typeof scope === 'string' && scopes.includes(scope))) return;
    const wanted = typeof scope === 'string' ? [scope] : scope;
    if (wanted.some((each) => scopes.includes(each))) return;
    if (scope === 'ops' && this.opsPort.isClosedTo(request)) throw new ApiError('scope_missing', ELSEWHERE);
    if (user !== undefined) throw new ApiError('scope_missing', roleRefusal(user.role));
    const names = wanted.map((each) => `"${each}"`).join(' or ');
    throw new ApiError('scope_missing', `This API key lacks the scope ${names}.`);
  }

  /** Prepares the completion of the answer: the audit row of a write, and the masking of what a viewer gets. */
  private prepareFinish(request: CallerRequest, caller: Caller, terms: Terms): void {
    const { id, writes } = terms;
    const isViewer = caller.user?.role === 'viewer';
    const isAudited = writes && !isDryRun(request, terms) && (caller.user !== undefined || manages(caller));
    if (isAudited) request.caller = { ...caller, audit: this.log.trailOf(caller, id, request) };
    if (!isAudited && !isViewer) return;
    request.finish = async (reply, payload) => {
      await this.log.complete(request, reply, payload);
      return isViewer ? maskedAnswer(reply, payload) : payload;
    };
  }

  /** The terms of an endpoint: a method of a controller. */
  termsOf(controller: Function, endpoint: Function): Terms {
    return getOrInsert(this.terms, endpoint, () => {
      const access = this.reflector.get(AccessOf, endpoint) ?? CLOSED;
      const isGet = Reflect.getMetadata(METHOD_METADATA, endpoint) === RequestMethod.GET;
      const parameters = parametersOf(controller, endpoint.name);
      const hasQuery = parameters.some(({ kind }) => kind === RouteParamtypes.QUERY);
      const body = parameters.find(({ kind }) => kind === RouteParamtypes.BODY);
      const previews = body !== undefined && planOf(body.type).known.has('dryRun');
      return { ...access, writes: !isGet && !access.reads, hasQuery, previews };
    });
  }
}

function roleRefusal(role: Role): string {
  return `The role "${role}" does not allow this. Ask an admin of the account for a role that does.`;
}

/** @throws ApiError csrf */
function admitAnyone(request: CallerRequest, { writes }: Terms): true {
  if (writes && !isSameOrigin(request)) throw new ApiError('csrf');
  requireNoQuery(request.query);
  return true;
}

/** @throws ApiError csrf, role_read_only */
function requireRight(request: CallerRequest, { user }: Caller, { writes, personal }: Terms): void {
  if (request.method !== 'GET' && request.method !== 'HEAD' && !isSameOrigin(request))
    throw new ApiError('csrf');
  if (writes && user?.role === 'viewer' && !personal) throw new ApiError('role_read_only');
}

function passesSuspended({ user }: Caller, { personal, whileSuspended }: Terms): boolean {
  return user !== undefined && (personal || whileSuspended);
}

/** A body that does not know the field is carried out: the field alone must not leave a write without its row. */
function isDryRun({ query, body }: CallerRequest, { previews }: Terms): boolean {
  if ((query as { dryRun?: unknown }).dryRun === 'true') return true;
  return previews && (body as { dryRun?: unknown } | null | undefined)?.dryRun === true;
}

function manages({ scopes }: Caller): boolean {
  return scopes.includes('manage') || scopes.includes('ops');
}

function requireNoQuery(query: unknown): void {
  if (isEmpty(query as object)) return;
  const names = Object.keys(query as object);
  if (names.length > 0) throw unknownParameters(names.slice(0, MAX_NAMED), []);
}

function isEmpty(query: object): boolean {
  for (const _ in query) return false;
  return true;
}
