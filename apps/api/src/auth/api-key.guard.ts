import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Scope } from '@signalbox/domain/scope';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { type CallerRequest, Costs, RequiresScope } from './caller.ts';
import { RateGate } from './rate-gate.ts';

type Endpoint = ReturnType<ExecutionContext['getHandler']>;

/** The declarations of an endpoint. */
interface Terms {
  scope: Scope | undefined;
  cost: number;
}

/** Admits a request whose caller has an active account and the endpoint's scope, within the rate limit of the key. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  private readonly terms = new Map<Endpoint, Terms>();

  constructor(
    private readonly reflector: Reflector,
    private readonly rate: RateGate,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<CallerRequest>();
    const { caller } = request;
    if (!caller) throw new ApiError('api_key_missing');
    if (caller.accountStatus !== 'active') throw new ApiError('account_suspended');
    const { scope, cost } = this.termsOf(context.getHandler());
    if (!scope || !caller.scopes.includes(scope))
      throw new ApiError('scope_missing', `This API key lacks the scope "${scope}".`);
    await this.rate.pass(caller, cost, http.getResponse<FastifyReply>());
    return true;
  }

  private termsOf(endpoint: Endpoint): Terms {
    const known = this.terms.get(endpoint);
    if (known) return known;
    const terms = {
      scope: this.reflector.get(RequiresScope, endpoint),
      cost: this.reflector.get(Costs, endpoint) ?? 1,
    };
    this.terms.set(endpoint, terms);
    return terms;
  }
}
