import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Scope } from '@signalbox/domain/scope';
import type { FastifyReply } from 'fastify';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ApiError } from '../errors/api-error.ts';
import { unknownParameters } from '../http/unknown-parameters.ts';
import { type CallerRequest, Costs, RequiresScope } from './caller.ts';
import { RateGate } from './rate-gate.ts';

/** Unknown parameters that a refusal names. */
const MAX_NAMED = 10;

type Endpoint = ReturnType<ExecutionContext['getHandler']>;

/** The declarations of an endpoint. */
interface Terms {
  scope: Scope | undefined;
  cost: number;
  /** True for a route with query parameters; their class declares which. */
  hasQuery: boolean;
}

/** Admits a request whose caller has an active account and the endpoint's scope, within the rate limit of the key. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  private readonly terms = new Map<Endpoint, Terms>();

  constructor(
    private readonly reflector: Reflector,
    private readonly rate: RateGate,
  ) {}

  /** Returns a promise only when the rate limit must be counted first: one per request would cost more than the check. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<CallerRequest>();
    const { caller } = request;
    if (!caller) throw new ApiError('api_key_missing');
    if (caller.accountStatus !== 'active') throw new ApiError('account_suspended');
    const { scope, cost, hasQuery } = this.termsOf(context);
    if (!scope || !caller.scopes.includes(scope))
      throw new ApiError('scope_missing', `This API key lacks the scope "${scope}".`);
    if (!hasQuery) requireNoQuery(request.query);
    const passing = this.rate.pass(caller, cost, http.getResponse<FastifyReply>());
    return passing ? passing.then(() => true) : true;
  }

  private termsOf(context: ExecutionContext): Terms {
    const endpoint = context.getHandler();
    const known = this.terms.get(endpoint);
    if (known) return known;
    const terms = {
      scope: this.reflector.get(RequiresScope, endpoint),
      cost: this.reflector.get(Costs, endpoint) ?? 1,
      hasQuery: hasQueryParameter(context.getClass(), endpoint.name),
    };
    this.terms.set(endpoint, terms);
    return terms;
  }
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

/** Nest keeps the decorated parameters of a method by their kind and place, as `4:1`. */
function hasQueryParameter(controller: Function, method: string): boolean {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as object;
  return Object.keys(parameters).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}
