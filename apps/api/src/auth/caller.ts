import { type ExecutionContext, HttpCode, applyDecorators, createParamDecorator } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { Role } from '@signalbox/domain/role';
import type { Scope } from '@signalbox/domain/scope';
import type { FastifyRequest } from 'fastify';
import type { FinishedRequest } from '../http/finish.ts';
import type { AuditTrail } from './audit-trail.ts';

/** A user who is signed in. */
export interface SignedIn {
  id: string;
  name: string;
  email: string;
  role: Role;
  sessionId: string;
}

/** The holder of an API key, or a user, who counts as the holder of a key with the user's id. */
export interface Caller extends KeyHolder {
  user?: SignedIn;
  /** Trail of the request, when it is a write that the audit log names. */
  audit?: AuditTrail;
}

/** The user of a session, and what Caller says of the request. */
export interface SessionUser extends SignedIn, Pick<Caller, 'accountId' | 'audit'> {}

/** A request; it has a caller once its key or session was accepted. */
export type CallerRequest = FastifyRequest & FinishedRequest & { caller?: Caller };

/** Declares who may call an endpoint. */
export interface Access {
  /** Scope that a caller needs, or several of which one is enough; `any` for every caller, `none` without a caller. */
  scope: Scope | readonly Scope[] | 'any' | 'none';
  /** Operation id, as the audit log names it. */
  id: string;
  /** Points of the rate limit that a call costs. */
  cost: number;
  /** True for an endpoint that changes nothing although it is no GET. */
  reads: boolean;
  /** True for an endpoint that users call about themselves, whatever their role. */
  personal: boolean;
  /** True for an endpoint that sessions reach also while their account is suspended, as they do personal ones. */
  whileSuspended: boolean;
  /** True for calls so frequent that those of API keys leave no audit row. */
  traffic: boolean;
}

/** The declaration of an endpoint. An endpoint without one is closed to all. */
export const AccessOf = Reflector.createDecorator<Access>();

/** Declares an endpoint that only reads and is not in /docs, as a download. */
export function ReadsOnly(id: string, scope: Scope): MethodDecorator {
  return applyDecorators(
    AccessOf({ id, scope, cost: 1, reads: true, personal: false, whileSuspended: false, traffic: false }),
    HttpCode(200),
    ApiExcludeEndpoint(),
  );
}

/** Id of the account that the request is for. */
export const CurrentAccount = createParamDecorator(
  (_: unknown, context: ExecutionContext): string =>
    callerOf(context.switchToHttp().getRequest<CallerRequest>()).accountId,
);

/** Caller of the request. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller =>
    callerOf(context.switchToHttp().getRequest<CallerRequest>()),
);

/** User of the request's session; for personal endpoints, which only sessions reach. */
export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext): SessionUser => {
  const { user, accountId, audit } = callerOf(context.switchToHttp().getRequest<CallerRequest>());
  if (!user) throw new Error('an endpoint that is not personal asked for its user');
  return { ...user, accountId, ...(audit && { audit }) };
});

/** @throws Error when the endpoint is not behind the guard */
export function callerOf({ caller }: CallerRequest): Caller {
  if (!caller) throw new Error('an endpoint without a guard asked for its caller');
  return caller;
}

/** The caller as histories name them. */
export function actorOf({ keyId, user }: Caller): string {
  return user === undefined ? `api-key:${keyId}` : `user:${user.id}`;
}
