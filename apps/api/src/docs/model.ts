import type { OpenAPIObject } from '@nestjs/swagger';
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';

/** Models of answers, by their names in the OpenAPI document. */
const MODELS = new Map<string, object>();

/**
 * Declares a model that answers show: its members as JSON Schema, from which its type follows (`Static<typeof X>`).
 *
 * @throws Error when another model has the name
 */
export function model<P extends TProperties>(
  name: string,
  description: string,
  members: P,
  options: { additionalProperties?: true } = {},
): TObject<P> {
  if (MODELS.has(name)) throw new Error(`two models are called ${name}`);
  MODELS.set(name, Type.Object(members, { description, ...options }));
  return Type.Object(members, { $id: name, description, ...options });
}

/** The members of a view before it is shown: instants may still be Dates. */
type Showable<View> = {
  readonly [Name in keyof View]: View[Name] | (string extends Extract<View[Name], string> ? Date : never);
};

/** Copies the members that a model declares and no others; instants become ISO 8601. */
export function show<Model extends TObject>(shape: Model, from: Showable<Static<Model>>): Static<Model> {
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(shape.properties)) {
    const value = (from as Record<string, unknown>)[name];
    if (value !== undefined) shown[name] = value instanceof Date ? value.toISOString() : value;
  }
  return shown as Static<Model>;
}

/** Adds the models that a document refers to, also through one another, to its schemas. */
export function addModels(document: OpenAPIObject): OpenAPIObject {
  const schemas: Record<string, unknown> = { ...document.components?.schemas };
  const add = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = MODELS.get(name);
      if (!schema || name in schemas) continue;
      schemas[name] = byReference(schema);
      add(JSON.stringify(schemas[name]));
    }
  };
  add(JSON.stringify(document));
  return { ...document, components: { ...document.components, schemas } } as OpenAPIObject;
}

/** Copies a schema, with a reference in place of each named model within it. */
export function byReference(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(byReference);
  if (schema === null || typeof schema !== 'object') return schema;
  if ('$id' in schema) return { $ref: `#/components/schemas/${String(schema.$id)}` };
  return Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, byReference(member)]));
}

/** One of some words. */
export function oneOf<const Words extends readonly string[]>(words: Words, description?: string) {
  return Type.Unsafe<Words[number]>({
    type: 'string',
    enum: [...words],
    ...(description && { description }),
  });
}

/** A member that may be null; `meaning` explains both. */
export function nullable<S extends TSchema>(schema: S, meaning?: string) {
  return Type.Union([schema, Type.Null()], meaning === undefined ? {} : { description: meaning });
}

export const TEXT = Type.String();
export const FLAG = Type.Boolean();
export const COUNT = Type.Integer({ minimum: 0 });
export const ID = Type.String({ format: 'uuid' });
export const TIME = Type.String({ format: 'date-time' });
export const DAY = Type.String({ format: 'date' });
export const MILLISECONDS = Type.Number({ minimum: 0 });
export const MESSAGE_ID = Type.String({
  pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:[1-9][0-9]*$',
  description: 'The id of the send, a colon, and the position of the recipient, from 1.',
});
/** A phone number of 7 to 15 digits with its country code; viewers get all but the last four digits as `*`. */
export const NUMBER = Type.String({ pattern: '^([1-9][0-9]{6,14}|[*]{3,11}[0-9]{4})$' });
/** A phone number, or the user id of someone who shows none to a chat app. */
export const RECIPIENT = Type.String({
  pattern: '^([1-9][0-9]{6,14}|[*]{3,11}[0-9]{4}|[A-Z]{2}([.]ENT)?[.][A-Za-z0-9]{1,128})$',
});
export const DIGITS = '^[0-9]+$';
export const SHARE = Type.Number({ minimum: 0, maximum: 1 });
export const WIRE_STATUSES = ['Pending', 'Sent', 'Delivered', 'Read', 'Failed'] as const;
