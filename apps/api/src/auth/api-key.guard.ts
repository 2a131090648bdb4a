import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { type CallerRequest, RequiresScope } from './caller.ts';
import { RateGate } from './rate-gate.ts';

/** Admits a request whose caller has an active account and the endpoint's scope, within the rate limit of the key. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
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
    const scope = this.reflector.get(RequiresScope, context.getHandler());
    if (!scope || !caller.scopes.includes(scope))
      throw new ApiError('scope_missing', `This API key lacks the scope "${scope}".`);
    await this.rate.pass(caller, 1, http.getResponse<FastifyReply>());
    return true;
  }
}
