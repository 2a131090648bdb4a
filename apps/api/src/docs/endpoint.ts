import { HttpCode, applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  type ApiBodyOptions,
  ApiExtension,
  ApiHeader,
  ApiOperation,
  ApiParam,
  type ApiParamOptions,
  ApiResponse,
} from '@nestjs/swagger';
import type { Scope } from '@signalbox/domain/scope';
import type { TSchema } from 'typebox';
import { AccessOf } from '../auth/caller.ts';
import { answerOf, listOf } from '../http/answer.ts';
import { IDEMPOTENCY_KEY, described } from './described.ts';

/** A path parameter: an example, and a description where the name is not enough. */
interface PathParameter {
  example: string | number;
  description?: string;
}

/** Schema of a successful answer: of its `data`, of each entry of its page of a list, or of the whole answer. */
type AnswerSchema = { data: TSchema } | { entries: TSchema } | { schema: TSchema };

/** The declaration of an endpoint, except its method and path. */
type EndpointOptions = AnswerSchema & {
  /** Operation id in the OpenAPI document, unique. */
  id: string;
  /**
   * Scope that the caller needs, or several of which one is enough; `any` for every caller, `none` for an endpoint that
   * needs neither key nor session.
   */
  scope: Scope | readonly Scope[] | 'any' | 'none';
  /** Set when the call changes nothing although it is no GET, so that viewers may make it. */
  reads?: true;
  /** Set when users call it about themselves, whatever their role. API keys may not. */
  personal?: true;
  /** Set for calls so frequent that those of API keys leave no audit row. */
  traffic?: true;
  /** Imperative phrase without a full stop. */
  summary: string;
  /** Sentences; the scope is appended. */
  description?: string;
  /** Points of the rate limit that a call costs; 1 by default. */
  cost?: number;
  /** Status of a successful answer; 200 by default. */
  status?: 200 | 201;
  /** Set when `Idempotency-Key` applies. */
  idempotent?: true;
  /** Path parameters by name. */
  params?: Record<string, PathParameter>;
  /** Made by `exampleBodies`. */
  body?: ApiBodyOptions;
  /** Example of a successful answer. */
  answer: { message: string };
  /** Description of a successful answer; by default the message of `answer`. */
  returns?: string;
  /** Example of the answer to a dry run, which has status 200. */
  dryRun?: { message: string };
};

const SUMMARIES = new Map<string, string>();

/** Finds the summary of an operation by its id. */
export function findSummary(id: string): string | undefined {
  return SUMMARIES.get(id);
}

/**
 * Declares an endpoint once: its scope is enforced, its status is sent, and all of it is published in /docs. Use it
 * next to `@Get`, `@Post`, `@Patch` or `@Delete`.
 */
export function Endpoint(endpoint: EndpointOptions): MethodDecorator {
  const { id, scope, summary, status = 200, cost = 1, params = {}, body, answer, dryRun } = endpoint;
  SUMMARIES.set(id, summary);
  const schema = schemaOf(endpoint);
  const price = cost > 1 ? `A call counts as ${cost} towards the rate limit.` : '';
  const description = [endpoint.description, price, needs(endpoint)].filter(Boolean).join(' ');
  const access = { id, scope, cost, reads: false, personal: false, traffic: false };
  for (const flag of ['reads', 'personal', 'traffic'] as const) access[flag] = endpoint[flag] ?? false;
  return applyDecorators(
    AccessOf(access),
    HttpCode(status),
    ApiOperation({ operationId: id, summary, description, ...(scope === 'none' && { security: [] }) }),
    ...(endpoint.reads ? [ApiExtension('x-reads', true)] : []),
    ...Object.entries(params).map(([name, param]) =>
      ApiParam({ name, type: typeof param.example, ...param } as ApiParamOptions),
    ),
    ...(endpoint.idempotent ? [ApiHeader(IDEMPOTENCY_KEY)] : []),
    ...(body ? [ApiBody(body)] : []),
    ApiResponse(described(status, endpoint.returns ?? answer.message, schema, answer)),
    ...(dryRun ? [ApiResponse(described(200, 'The count of a dry run.', schema, dryRun))] : []),
  );
}

function schemaOf(answer: AnswerSchema): TSchema {
  if ('schema' in answer) return answer.schema;
  return 'data' in answer ? answerOf(answer.data) : listOf(answer.entries);
}

/** The last sentence of a description: who may call. */
function needs({ scope, personal }: EndpointOptions): string {
  if (scope === 'none') return 'Needs neither an API key nor a session.';
  if (personal) return 'Needs a session.';
  const names = typeof scope === 'string' ? [scope] : scope;
  return `Scope: ${names.map((name) => `\`${name}\``).join(' or ')}.`;
}
