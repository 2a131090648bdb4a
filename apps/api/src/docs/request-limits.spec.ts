import { afterAll, expect, test } from '@jest/globals';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Violation } from '@signalbox/domain/violation';
import { ApiError } from '../errors/api-error.ts';
import { RequestPipe } from '../http/request-pipe.ts';
import { buildDocument } from './docs.ts';
import { createPreview } from './preview.ts';
import { type RequestParameter, listRequestParameters } from './request-limits.ts';
import type { Schema } from './rule-keywords.ts';

/** A value beyond a limit of the document, and one at the limit. */
interface Limit {
  /** Names and indexes that lead to the member. */
  path: (string | number)[];
  keyword: string;
  beyond: unknown;
  at?: unknown;
  /** The rule that a value at the limit must not break. */
  rule?: string;
  /** Members that choose the kind of an object, by their paths, and the words that they may have. */
  choices: Choice[];
}

interface Choice {
  path: (string | number)[];
  words: unknown[];
}

/** Limits that the service of the operation checks, by the rows of the database. */
const CHECKED_LATER = new Set([
  'GatewayRequest kind enum',
  'VerifyConfigChange webOtpDomain maxLength',
  'VerifyConfigChange androidHash maxLength',
  'VerifyConfigChange androidHash minLength',
]);

const app = await createPreview();
const document = buildDocument(app);
const schemas = document.components?.schemas as Record<string, Schema>;
const parameters = listRequestParameters(app);
afterAll(() => app.close());

test('each limit of a request in the document is the limit of its rules', () => {
  const limits = parameters.flatMap((parameter) =>
    limitsOf(schemaOf(parameter), []).map((limit) => ({ parameter, limit })),
  );

  expect(limits.length).toBeGreaterThan(700);
  expect(limits.flatMap(({ parameter, limit }) => check(parameter, limit))).toEqual([]);
});

test('each text, number and list of a body has a limit, or names something stored', () => {
  const bodies = parameters.filter(({ kind }) => kind === RouteParamtypes.BODY).map(({ type }) => type.name);
  const unlimited = bodies.flatMap((body) =>
    Object.entries(schemas[body]?.properties ?? {})
      .filter(([name, schema]) => isUnlimited(schema) && !STORED.has(name))
      .map(([name]) => `${body}.${name}`),
  );

  expect(bodies.length).toBeGreaterThan(40);
  expect([...new Set(unlimited)]).toEqual([]);
});

test('no text or number of a request is described as an object', () => {
  const described = parameters.flatMap((parameter) =>
    bareObjectsOf(schemaOf(parameter), parameter.type.name),
  );

  expect(described).toEqual([]);
});

/** Lists the objects of a schema that name no members: as those are described whose type nobody stated. */
function bareObjectsOf(given: Schema, path: string): string[] {
  const schema = given.$ref ? (schemas[given.$ref.split('/').at(-1) ?? ''] ?? {}) : given;
  const { properties, items } = schema;
  const isBare =
    [schema.type].flat().includes('object') && !properties && !('additionalProperties' in schema);
  return [
    ...(isBare ? [path] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, member]) => bareObjectsOf(member, `${path}.${name}`)),
    ...(items ? bareObjectsOf(items, `${path}[]`) : []),
  ];
}

/** Texts that name a row: any other text names none. */
const STORED = new Set(['cursor', 'gateway', 'id', 'messageId', 'provider', 'webhookId']);

function isUnlimited({
  type,
  enum: words,
  pattern,
  format,
  maxLength,
  maximum,
  maxItems,
  items,
}: Schema): boolean {
  const limits = [words, pattern, format, maxLength, maximum, maxItems, items?.enum];
  return [type].flat().some((each) => LIMITED.has(each ?? '')) && limits.every((each) => each === undefined);
}

const LIMITED = new Set(['string', 'integer', 'number', 'array']);

function schemaOf({ operationId, kind, type }: RequestParameter): Schema {
  if (kind === RouteParamtypes.BODY) return schemas[type.name] ?? {};
  const operations = Object.values(document.paths).flatMap(
    (path) =>
      Object.values(path) as {
        operationId?: string;
        parameters?: { name: string; in: string; schema: Schema }[];
      }[],
  );
  const { parameters: all = [] } = operations.find((each) => each.operationId === operationId) ?? {};
  return {
    properties: Object.fromEntries(
      all.filter((each) => each.in === 'query').map(({ name, schema }) => [name, schema]),
    ),
  };
}

/** Lists the limits of a schema and of everything in it. */
function limitsOf(given: Schema, path: Limit['path'], before: Choice[] = []): Limit[] {
  const schema = given.$ref ? (schemas[given.$ref.split('/').at(-1) ?? ''] ?? {}) : given;
  const choices = [...before, ...choicesOf(schema, path)];
  const own = valuesBeyond(schema).map((each) => ({ ...each, path, choices }));
  const missing = (schema.required ?? []).map((name) => ({
    path: [...path, name],
    keyword: 'required',
    beyond: undefined,
    choices: choices.filter((choice) => nameOf(choice.path) !== nameOf([...path, name])),
  }));
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    limitsOf(member, [...path, name], choices),
  );
  const items = schema.items ? limitsOf(schema.items, [...path, 0], choices) : [];
  return [...own, ...missing, ...members, ...items, ...limitsOfKinds(schema, path, choices)];
}

/** Members whose word decides which others an object has. */
function choicesOf({ properties = {} }: Schema, path: Limit['path']): Choice[] {
  return ['type', 'format'].flatMap((name) => {
    const words = properties[name]?.enum;
    return words ? [{ path: [...path, name], words: [undefined, ...words] }] : [];
  });
}

function limitsOfKinds(schema: Schema, path: Limit['path'], choices: Choice[]): Limit[] {
  if (!schema.if || !schema.then) return [];
  const [[name, { const: word }] = ['', {}]] = Object.entries(schema.if.properties ?? {}) as [
    string,
    Schema,
  ][];
  const chosen = [...choices, { path: [...path, name], words: [word] }];
  return [
    ...limitsOf(schema.then, path, chosen),
    ...(schema.else ? limitsOfKinds(schema.else, path, choices) : []),
  ];
}

/** Values just beyond each keyword of a schema, and at it. */
function valuesBeyond(schema: Schema): Pick<Limit, 'keyword' | 'beyond' | 'at' | 'rule'>[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  const item = schema.items?.enum?.[0] ?? 'x';
  const found: ReturnType<typeof valuesBeyond> = [];
  const add = (keyword: string, beyond: unknown, at?: unknown, rule = ''): void =>
    void found.push({ keyword, beyond, at, rule });
  if (maxLength) add('maxLength', 'a'.repeat(maxLength + 1), 'a'.repeat(maxLength), 'max_length');
  if (minLength) add('minLength', 'a'.repeat(minLength - 1), 'a'.repeat(minLength), 'min_length');
  if (minimum !== undefined) add('minimum', minimum - 1, minimum, 'out_of_range');
  if (maximum !== undefined) add('maximum', maximum + 1, maximum, 'out_of_range');
  if (maxItems) add('maxItems', Array(maxItems + 1).fill(item), Array(maxItems).fill(item), 'too_many_items');
  if (minItems) add('minItems', Array(minItems - 1).fill(item), Array(minItems).fill(item), 'too_few_items');
  if (schema.uniqueItems) add('uniqueItems', [item, item]);
  if (schema.enum) add('enum', 'no such word');
  if (schema.pattern)
    add(
      'pattern',
      ['', ' ', '!', 'ä\n'].find((each) => !new RegExp(schema.pattern ?? '', 'u').test(each)),
    );
  return found;
}

/** Says where the document and the rules differ. */
function check(parameter: RequestParameter, limit: Limit): string[] {
  const at = nameOf(limit.path);
  const where = `${parameter.type.name} ${at} ${limit.keyword}`;
  if (CHECKED_LATER.has(where)) return [];
  const base = basesOf(limit.choices).find((each) =>
    violations(parameter, put(each, limit.path, limit.beyond)).some(({ field }) => covers(field, at)),
  );
  if (!base) return [`${where}: ${JSON.stringify(limit.beyond)?.slice(0, 40)} is not refused`];
  if (limit.at === undefined) return [];
  const refusals = violations(parameter, put(base, limit.path, limit.at)).filter(
    ({ field, rule, message }) => field === at && rule === limit.rule && !message.includes('parts'),
  );
  return refusals.map(({ message }) => `${where}: the limit itself is refused: ${message}`);
}

/** Bodies with each combination of the words that choose kinds; a later choice is the more exact one. */
function basesOf(choices: Choice[]): object[] {
  return choices.reduce<object[]>(
    (bases, { path, words }) => bases.flatMap((base) => words.map((word) => put(base, path, word))),
    [{}],
  );
}

/** Copies a value with another one at a path; undefined removes it. */
function put(target: unknown, [name, ...rest]: Limit['path'], value: unknown): object {
  const copy = (
    typeof name === 'number' ? [...((target as unknown[]) ?? [])] : { ...(target as object) }
  ) as Record<string | number, unknown>;
  if (name === undefined) return copy;
  copy[name] =
    rest.length > 0 ? put(copy[name] ?? (typeof rest[0] === 'number' ? [] : {}), rest, value) : value;
  return copy;
}

function nameOf(path: Limit['path']): string {
  return path
    .map((each, i) => (typeof each === 'number' ? `[${each}]` : `${i > 0 ? '.' : ''}${each}`))
    .join('');
}

/** A refused item is reported at its own path, or at that of its list. */
function covers(field: string, at: string): boolean {
  return (
    field === at ||
    field === at.replace(/\[0\]$/, '') ||
    field.startsWith(`${at}[`) ||
    field.startsWith(`${at}.`)
  );
}

function violations({ kind, type }: RequestParameter, value: object): Violation[] {
  try {
    new RequestPipe().transform(value, {
      type: kind === RouteParamtypes.BODY ? 'body' : 'query',
      metatype: type,
    });
    return [];
  } catch (error) {
    if (error instanceof ApiError) return [...(error.details ?? [])];
    throw error;
  }
}
