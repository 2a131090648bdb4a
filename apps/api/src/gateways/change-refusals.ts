import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Observable, catchError } from 'rxjs';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { GatewaysService } from './gateways.service.ts';

/**
 * Completes the refusal of a change with every problem of its settings and credentials. Their rules are those of the
 * stored gateway's kind, which the check of the body does not know.
 */
@Injectable()
export class ChangeRefusals implements NestInterceptor {
  constructor(private readonly gateways: GatewaysService) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest<{ Params: { name: string } }>>();
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        throw await this.complete(error, request.params.name, request.body);
      }),
    );
  }

  private async complete(error: unknown, name: string, body: unknown): Promise<unknown> {
    if (!(error instanceof ApiError) || error.code !== 'invalid_request') return error;
    // the body was sound: this is the refusal by the rules of the kind, which is complete
    if (error.details.every(({ rule }) => rule === 'invalid_setting')) return error;
    const named = new Set(error.details.map(({ field }) => field));
    const problems = await this.gateways.problemsOf(name, body);
    return invalidRequest([...error.details, ...problems.filter(({ field }) => !named.has(field))]);
  }
}
