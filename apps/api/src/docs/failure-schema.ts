import type { OpenAPIObject } from '@nestjs/swagger';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { errorBody } from '../errors/error-body.ts';
import { ERRORS } from '../errors/error-codes.ts';

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

const VIOLATION: Schema = {
  type: 'object',
  required: ['field', 'rule', 'message'],
  properties: {
    field: { type: 'string', example: 'to[3]' },
    rule: { type: 'string', example: 'invalid_format' },
    message: { type: 'string' },
  },
};

/** The envelope of every failure. */
const FAILURE: Schema = {
  type: 'object',
  required: ['id', 'data', 'message', 'error'],
  properties: {
    id: { type: 'null' },
    data: { type: 'null' },
    message: { type: 'string', example: 'text must not be blank' },
    error: {
      type: 'object',
      required: ['code', 'message', 'retryable', 'docs', 'requestId', 'details'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERRORS) },
        message: { type: 'string' },
        retryable: {
          type: 'boolean',
          description: 'True when the same request may succeed later.',
        },
        docs: { type: 'string', example: '/docs/errors#invalid_request' },
        requestId: { type: 'string', format: 'uuid' },
        details: { type: 'array', items: VIOLATION },
        attemptsRemaining: { type: 'integer', description: 'Tries that are left for a wrong code.' },
      },
    },
  },
};

const REQUEST_ID = '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c90';

/** Failures that any operation may return. */
const REFUSALS = [
  invalidRequest([
    {
      field: 'to[3]',
      rule: 'invalid_format',
      message: 'must be a phone number of 7 to 15 digits with its country code',
    },
  ]),
  new ApiError('api_key_invalid'),
  new ApiError('rate_limited'),
];
const OUTAGES = [new ApiError('unavailable'), new ApiError('internal_error')];

const RESPONSES = {
  '4XX': failures(
    'A refused request. All codes are listed in /docs/errors; 429 carries the header Retry-After.',
    REFUSALS,
  ),
  '5XX': failures('A failure of the service. 503 carries the header Retry-After.', OUTAGES),
};

function failures(description: string, errors: readonly ApiError[]) {
  const examples = errors.map((error) => [
    error.code,
    { summary: `${ERRORS[error.code].status} ${error.code}`, value: errorBody(error, REQUEST_ID) },
  ]);
  const schema = { $ref: '#/components/schemas/Failure' };
  return { description, content: { 'application/json': { schema, examples: Object.fromEntries(examples) } } };
}

/** Adds the failure envelope to every operation. */
export function describeFailures(document: OpenAPIObject): OpenAPIObject {
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Failure: FAILURE },
  };
  for (const path of Object.values(document.paths)) {
    for (const operation of [path.get, path.post, path.put, path.patch, path.delete]) {
      if (operation !== undefined) Object.assign(operation.responses, RESPONSES);
    }
  }
  return document;
}
