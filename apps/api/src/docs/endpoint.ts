import {
  HttpCode,
  type NestInterceptor,
  RequestMethod,
  SetMetadata,
  type StreamableFile,
  UseInterceptors,
  applyDecorators,
} from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import {
  ApiBody,
  ApiExcludeEndpoint,
  ApiExtension,
  ApiHeader,
  ApiOperation,
  ApiParam,
  type ApiParamOptions,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { map } from 'rxjs';
import { type Access, AccessOf } from '../auth/caller.ts';
import type { Answered } from '../http/answer.ts';
import { COSTLY, COSTLY_CALLS, READING_CALLS, SEARCHING_CALLS, WRITING_CALLS } from '../http/costly-calls.ts';
import { parametersOf } from '../http/parameters.ts';
import { IDEMPOTENCY_KEY, described } from './described.ts';

/** A path parameter: an example, and a description where the name is not enough. */
interface PathParameter {
  example: string | number;
  description?: string;
}

/** The part of a declaration that the endpoints of a controller share. */
interface Shared {
  /**
   * Scope that their callers need, or several of which one is enough; `any` for every caller, `none` for an endpoint
   * that needs neither key nor session.
   */
  scope?: Access['scope'];
  /** Parameters of their paths by name. */
  params?: Record<string, PathParameter>;
}

/** The declaration of an endpoint, except its method and path. It may replace what the endpoints share. */
interface EndpointOptions<R> extends Shared {
  /** Set when the call changes nothing although it is no GET, so that viewers may make it. */
  reads?: true;
  /** Set when users call it about themselves, whatever their role. API keys may not. */
  personal?: true;
  /** Set when sessions make the call also while their account is suspended. */
  whileSuspended?: true;
  /** Set for calls so frequent that those of API keys leave no audit row. */
  traffic?: true;
  /** Imperative phrase without a full stop. */
  summary: string;
  /** Sentences; the scope is appended. */
  description?: string;
  /** Points of the rate limit that a call costs; 1 by default. From COSTLY on, an account makes one call at a time. */
  cost?: number;
  /** Set when a call below COSTLY may examine many rows: of these, too, an account makes one at a time. */
  searches?: true;
  /**
   * Set when an account may make any number of concurrent calls: they share their statements, or wait for something else
   * than the database.
   */
  unlimited?: true;
  /** Status of a successful answer; 200 by default. */
  status?: 200 | 201;
  /** Set when `Idempotency-Key` applies. */
  idempotent?: true;
  /** Examples of the body by name; the first is preselected. Its type is that of the parameter with `@Body`. */
  body?: Record<string, object>;
  /** Made by `dataOf`, `pageOf` or `plain`. */
  answer: Answered<R>;
  /** Description of a successful answer; by default its message, or which entries it lists. */
  returns?: string;
  /** Set when a dry run has status 200 and the answer another: an example of what it returns. */
  dryRun?: R;
}

/** A decorator of methods that return what an answer is made of, or a file in its place. */
type Returning<R> = <Method extends (...args: never[]) => R | StreamableFile | Promise<R | StreamableFile>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/** The place of an endpoint. Its operation id in the OpenAPI document is the name of its method. */
interface Place extends Shared {
  id: string;
  /** With a colon before each parameter. */
  path: string;
  isGet: boolean;
}

/** Kept at a method until its place is known. */
type Declaration = (place: Place) => MethodDecorator;

/** The parts of an operation that are found by its id. */
interface Operation {
  summary: string;
  access: Access;
  envelope: MethodDecorator[];
}

const DECLARATION = Symbol('declaration');
const OPERATIONS = new Map<string, Operation>();

/** Finds the summary of an operation by its id. */
export function findSummary(id: string): string | undefined {
  return OPERATIONS.get(id)?.summary;
}

/** Declares the tag of a controller's endpoints, and what they share. Use it above `@Controller`. */
export function Endpoints(tag: string, shared: Shared = {}): ClassDecorator {
  return (controller) => {
    ApiTags(tag)(controller);
    const methods = Object.getOwnPropertyDescriptors(controller.prototype as Record<string, object>);
    for (const [id, method] of Object.entries(methods)) {
      const declaration = Reflect.getMetadata(DECLARATION, method.value!) as Declaration | undefined;
      const path = [controller, method.value!].map((at) => String(Reflect.getMetadata(PATH_METADATA, at)));
      const isGet = Reflect.getMetadata(METHOD_METADATA, method.value!) === RequestMethod.GET;
      declaration?.({ ...shared, id, isGet, path: path.join('/') })(
        controller.prototype as object,
        id,
        method,
      );
    }
  };
}

/**
 * Declares an endpoint once: its scope is enforced, its status and its envelope are sent, and all of it is published in
 * /docs. Use it next to `@Get`, `@Post`, `@Patch` or `@Delete`, in a controller with `@Endpoints`: without that it is
 * closed to all.
 */
export function Endpoint<R>(endpoint: EndpointOptions<R>): Returning<R> {
  return SetMetadata<symbol, Declaration>(DECLARATION, (place) => declare(endpoint, place));
}

/** Declares a POST that does what the GET of an operation does. It is not in /docs. */
export function ByPost(id: string): MethodDecorator {
  return SetMetadata<symbol, Declaration>(DECLARATION, () => {
    const operation = OPERATIONS.get(id);
    if (!operation) throw new Error(`no operation ${id} is declared above`);
    const access = AccessOf({ ...operation.access, reads: true });
    return applyDecorators(access, HttpCode(200), ...operation.envelope, ApiExcludeEndpoint());
  });
}

function declare<R>(endpoint: EndpointOptions<R>, place: Place): MethodDecorator {
  const { id } = place;
  const { summary, status = 200, cost = 1, body, answer, dryRun } = endpoint;
  const scope = endpoint.scope ?? place.scope ?? [];
  const { schema, example, wrap = (whole: R) => whole as object } = answer;
  const returns = endpoint.returns ?? answer.meaning;
  if (returns === undefined) throw new Error(`${id} does not say what it returns`);
  const price = cost > 1 ? `A call counts as ${cost} towards the rate limit.` : '';
  const needs = needsOf(scope, endpoint.personal);
  const description = [endpoint.description, price, needs].filter(Boolean).join(' ');
  const { reads = false, personal = false, whileSuspended = false, traffic = false } = endpoint;
  const access = { id, scope, cost, reads, personal, whileSuspended, traffic };
  const envelope = [
    ...(answer.wrap ? [UseInterceptors(wrapping(answer.wrap))] : []),
    ...limitsOf({ ...endpoint, scope, cost, reads: place.isGet || reads }).map((calls) =>
      UseInterceptors(calls),
    ),
  ];
  OPERATIONS.set(id, { summary, access, envelope });
  return applyDecorators(
    AccessOf(access),
    HttpCode(status),
    ...envelope,
    ApiOperation({ operationId: id, summary, description, ...(scope === 'none' && { security: [] }) }),
    ...(reads ? [ApiExtension('x-reads', true)] : []),
    ...pathParametersOf(place.path, { ...place.params, ...endpoint.params }),
    ...(endpoint.idempotent ? [ApiHeader(IDEMPOTENCY_KEY)] : []),
    ...(body ? [bodyOf(body)] : []),
    ApiResponse(described(status, returns, schema, example)),
    ...(dryRun ? [ApiResponse(described(200, 'The count of a dry run.', schema, wrap(dryRun)))] : []),
  );
}

/** The limits of an account for the calls of an endpoint. */
function limitsOf({
  scope,
  cost,
  searches,
  reads,
  unlimited,
}: Pick<EndpointOptions<never>, 'searches' | 'unlimited'> &
  Pick<Access, 'scope' | 'cost' | 'reads'>): NestInterceptor[] {
  if (cost >= COSTLY) return [COSTLY_CALLS];
  if (searches) return [SEARCHING_CALLS];
  if (unlimited || scope === 'none') return [];
  return [reads ? READING_CALLS : WRITING_CALLS];
}

/** Describes the parameters of a path. */
function pathParametersOf(path: string, params: Record<string, PathParameter>): MethodDecorator[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => {
    const param = params[name];
    if (!param) throw new Error(`no example of ${name} in ${path}`);
    return ApiParam({ name, type: typeof param.example, ...param } as ApiParamOptions);
  });
}

/** Describes the body of a method. */
function bodyOf(examples: Record<string, object>): MethodDecorator {
  const named = Object.entries(examples).map(([summary, value]) => [summary, { summary, value }]);
  return (target, method, descriptor) => {
    const parameters = parametersOf(target.constructor, String(method));
    const { type } = parameters.find(({ kind }) => kind === RouteParamtypes.BODY)!;
    ApiBody({ type, examples: Object.fromEntries(named) })(target, method, descriptor);
  };
}

function wrapping<R>(wrap: (returned: R) => object): NestInterceptor<R, object> {
  return { intercept: (_, next) => next.handle().pipe(map(wrap)) };
}

/** The last sentence of a description: who may call. */
function needsOf(scope: Access['scope'], personal?: boolean): string {
  if (scope === 'none') return 'Needs neither an API key nor a session.';
  if (personal) return 'Needs a session.';
  const names = typeof scope === 'string' ? [scope] : scope;
  return `Scope: ${names.map((name) => `\`${name}\``).join(' or ')}.`;
}
