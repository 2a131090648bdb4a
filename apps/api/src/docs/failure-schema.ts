import type { OpenAPIObject } from '@nestjs/swagger';
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

/** The envelope of every failure (decisions, Envelope). */
const FAILURE: Schema = {
  type: 'object',
  required: ['id', 'data', 'message', 'error'],
  properties: {
    id: { nullable: true, example: null },
    data: { nullable: true, example: null },
    message: { type: 'string', example: 'text must not be blank' },
    error: {
      type: 'object',
      required: ['code', 'message', 'retryable', 'docs', 'requestId', 'details'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERRORS) },
        message: { type: 'string' },
        retryable: { type: 'boolean', description: 'Whether the same request, sent again unchanged, may succeed' },
        docs: { type: 'string', example: '/docs/errors#invalid_request' },
        requestId: { type: 'string', format: 'uuid' },
        details: { type: 'array', items: VIOLATION },
      },
    },
  },
};

const RESPONSE = {
  description: 'A failure',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
};

/** Gives every operation of a document the envelope of failures as its default response. */
export function describeFailures(document: OpenAPIObject): OpenAPIObject {
  document.components = { ...document.components, schemas: { ...document.components?.schemas, Failure: FAILURE } };
  for (const path of Object.values(document.paths)) {
    for (const operation of [path.get, path.post, path.put, path.patch, path.delete]) {
      if (operation !== undefined) operation.responses['default'] = RESPONSE;
    }
  }
  return document;
}
