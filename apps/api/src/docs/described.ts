import type { ApiBodyOptions, ApiHeaderOptions, ApiResponseOptions } from '@nestjs/swagger';

interface Schema {
  type: string;
  nullable?: boolean;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** What /docs says of the header that makes a repeat harmless. */
export const IDEMPOTENCY_KEY: ApiHeaderOptions = {
  name: 'Idempotency-Key',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  description:
    'Makes a repeat harmless: the same key with the same body gets the first answer again for 48 hours, with the header `Idempotent-Replayed: true`.',
};

/** What /docs says of a good answer: its example, and the schema that follows from it. */
export function described(status: number, description: string, example: object): ApiResponseOptions {
  return { status, description, content: { 'application/json': { schema: schemaOf(example), example } } };
}

/** What /docs says of a body: examples by their names, of which the first is the one to try. */
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

/** One schema for two items of an array: what not both have is optional. */
function merge(known: Schema | undefined, next: Schema): Schema {
  if (known?.properties === undefined || next.properties === undefined) return next;
  const required = known.required?.filter((name) => next.required?.includes(name)) ?? [];
  return { type: 'object', properties: { ...known.properties, ...next.properties }, required };
}
