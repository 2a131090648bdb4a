import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { Scope } from '@signalbox/domain/scope';
import type { FastifyRequest } from 'fastify';

/** A request; it has a caller once its key was accepted. */
export type CallerRequest = FastifyRequest & { caller?: KeyHolder };

/** The scope that a key needs for an endpoint. An endpoint without one is closed to all. */
export const RequiresScope = Reflector.createDecorator<Scope>();

/** The points of the rate limit that a call of an endpoint costs. */
export const Costs = Reflector.createDecorator<number>();

/** Holder of the request's API key. */
export const CurrentAccount = createParamDecorator(
  (_: unknown, context: ExecutionContext): KeyHolder =>
    callerOf(context.switchToHttp().getRequest<CallerRequest>()),
);

/** @throws Error when the endpoint is not behind the guard */
export function callerOf({ caller }: CallerRequest): KeyHolder {
  if (!caller) throw new Error('an endpoint without a guard asked for its caller');
  return caller;
}

/** The holder of a key as histories name it. */
export function actorOf({ keyId }: KeyHolder): string {
  return `api-key:${keyId}`;
}
