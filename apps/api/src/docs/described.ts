import type { ApiHeaderOptions, ApiResponseOptions } from '@nestjs/swagger';
import type { TSchema } from 'typebox';
import { byReference } from './model.ts';

/** The Idempotency-Key header in /docs. */
export const IDEMPOTENCY_KEY: ApiHeaderOptions = {
  name: 'Idempotency-Key',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  description:
    'Makes a retry safe: for 48 hours, the same key with the same body returns the first response, with the header `Idempotent-Replayed: true`.',
};

/** A successful answer in /docs: its schema and an example. */
export function described(
  status: number,
  description: string,
  schema: TSchema,
  example: object,
): ApiResponseOptions {
  const content = { 'application/json': { schema: byReference(schema) as object, example } };
  return { status, description, content };
}
