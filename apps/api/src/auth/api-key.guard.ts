import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { type CallerRequest, RequiresScope } from './caller.ts';
import { KeyCache } from './key-cache.ts';
import { RateGate } from './rate-gate.ts';

/**
 * Admits a request whose `apikey` header is the key of an active account with the endpoint's scope, within
 * its rate limit.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: KeyCache,
    private readonly rate: RateGate,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<CallerRequest>();
    const caller = await this.keys.find(keyOf(request));
    if (!caller) throw new ApiError('api_key_invalid');
    if (caller.accountStatus !== 'active') throw new ApiError('account_suspended');
    const scope = this.reflector.get(RequiresScope, context.getHandler());
    if (!scope || !caller.scopes.includes(scope))
      throw new ApiError('scope_missing', `This API key lacks the scope "${scope}".`);
    await this.rate.pass(caller, 1, http.getResponse<FastifyReply>());
    request.caller = caller;
    return true;
  }
}

function keyOf(request: CallerRequest): string {
  const key = request.headers['apikey'];
  if (typeof key !== 'string' || key.trim() === '') throw new ApiError('api_key_missing');
  return key;
}
