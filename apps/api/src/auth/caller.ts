import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { Scope } from '@signalbox/domain/scope';
import type { FastifyRequest } from 'fastify';

/** A request whose key was accepted. */
export type CallerRequest = FastifyRequest & { caller?: KeyHolder };

/** The scope that a key needs for an endpoint. An endpoint without one is closed to all. */
export const RequiresScope = Reflector.createDecorator<Scope>();

/** The account that the request's API key speaks for. */
export const CurrentAccount = createParamDecorator((_: unknown, context: ExecutionContext): KeyHolder => {
  const { caller } = context.switchToHttp().getRequest<CallerRequest>();
  if (!caller) throw new Error('an endpoint without a guard asked for its caller');
  return caller;
});

/** How histories name whoever holds a key. */
export function actorOf({ keyId }: KeyHolder): string {
  return `api-key:${keyId}`;
}
