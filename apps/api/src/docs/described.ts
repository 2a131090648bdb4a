import type { ApiBodyOptions, ApiHeaderOptions, ApiResponseOptions } from '@nestjs/swagger';

interface Schema {
  type: string;
  nullable?: boolean;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** The Idempotency-Key header in /docs. */
export const IDEMPOTENCY_KEY: ApiHeaderOptions = {
  name: 'Idempotency-Key',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  description:
    'Makes a retry safe: for 48 hours, the same key with the same body returns the first answer, with the header `Idempotent-Replayed: true`.',
};

/** A successful answer in /docs: its example, and the schema derived from it. */
export function described(status: number, description: string, example: object): ApiResponseOptions {
  return { status, description, content: { 'application/json': { schema: schemaOf(example), example } } };
}

/** A body in /docs: named examples; the first is preselected. */
export function exampleBodies(type: Function, bodies: Record<string, object>): ApiBodyOptions {
  return {
    type,
    examples: Object.fromEntries(
      Object.entries(bodies).map(([summary, value]) => [summary, { summary, value }]),
    ),
  };
}

function schemaOf(example: unknown): Schema {
  if (example === null) return { type: 'string', nullable: true };
  if (Array.isArray(example))
    return { type: 'array', items: example.map(schemaOf).reduce(merge, undefined) ?? { type: 'string' } };
  if (typeof example !== 'object') return { type: Number.isInteger(example) ? 'integer' : typeof example };
  const members = Object.entries(example as object);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, value]) => [name, schemaOf(value)])),
    required: members.map(([name]) => name),
  };
}

/** Merges the schemas of two items; members that only one has are optional. */
function merge(known: Schema | undefined, next: Schema): Schema {
  if (known?.properties === undefined || next.properties === undefined) return next;
  const required = known.required?.filter((name) => next.required?.includes(name)) ?? [];
  return { type: 'object', properties: { ...known.properties, ...next.properties }, required };
}
