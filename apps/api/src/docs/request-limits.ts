import type { INestApplication } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { OpenAPIObject } from '@nestjs/swagger';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { ValidationTypes, getMetadataStorage } from 'class-validator';
import type { DtoClass } from '../http/dto-plan.ts';
import { type Parameter, listMethods, parametersOf } from '../http/parameters.ts';
import type { RuleMetadata } from '../http/rule-table.ts';
import { type Schema, keywordsOf } from './rule-keywords.ts';

/**
 * Adds the limits that the rules of request classes enforce to the schemas of bodies and queries, so that each is
 * declared once. Members of nested classes that no decorator describes are added with them.
 *
 * @throws Error for a rule without a keyword, see `keywordsOf`
 */
export function describeLimits(given: OpenAPIObject, app: INestApplication): OpenAPIObject {
  // decorators share the objects that describe their members
  const document = JSON.parse(JSON.stringify(given)) as OpenAPIObject;
  for (const { operationId, kind, type } of listRequestParameters(app)) {
    if (kind === RouteParamtypes.BODY) describeClass(document, type);
    else for (const parameter of queryOf(document, operationId)) describeParameter(parameter, type);
  }
  return document;
}

/** A body or a query that is read as a class. */
export interface RequestParameter extends Parameter {
  operationId: string;
}

/** Lists the bodies and queries of all operations. */
export function listRequestParameters(app: INestApplication): RequestParameter[] {
  return listMethods(app).flatMap(({ controller, method }) => {
    const endpoint = (controller.prototype as Record<string, object>)[method] ?? {};
    const operation = Reflect.getMetadata('swagger/apiOperation', endpoint) as
      | { operationId?: string }
      | undefined;
    return parametersOf(controller, method)
      .filter(({ kind, type }) => REQUEST_KINDS.has(kind) && rulesOf(type).size > 0)
      .map((parameter) => ({ ...parameter, operationId: operation?.operationId ?? '' }));
  });
}

const REQUEST_KINDS = new Set([RouteParamtypes.BODY, RouteParamtypes.QUERY]);

function queryOf(document: OpenAPIObject, operationId: string): { name: string; schema: Schema }[] {
  const operations = Object.values(document.paths).flatMap(({ get, post, put, patch, delete: remove }) =>
    [get, post, put, patch, remove].filter((each) => each !== undefined),
  );
  const parameters = operations.find((each) => each.operationId === operationId)?.parameters ?? [];
  return parameters.filter((each) => 'in' in each && each.in === 'query') as {
    name: string;
    schema: Schema;
  }[];
}

function describeParameter({ name, schema }: { name: string; schema: Schema }, type: DtoClass): void {
  const rules = rulesOf(type).get(name);
  if (rules) describeMember(schema, rules);
}

/**
 * Describes the schema of a class, found in the document by the name of the class, and the schemas of its nested
 * classes.
 */
function describeClass(document: OpenAPIObject, type: DtoClass, seen = new Set<DtoClass>()): void {
  if (seen.has(type)) return;
  seen.add(type);
  const schema = document.components?.schemas?.[type.name] as Schema | undefined;
  if (schema?.properties) describeMembers(schema, type);
  for (const [name] of rulesOf(type))
    for (const nested of nestedTypes(type, name)) describeClass(document, nested, seen);
}

/** Adds limits to the described members of a class. */
function describeMembers(schema: Schema, type: DtoClass): void {
  for (const [name, rules] of rulesOf(type)) {
    const member = schema.properties?.[name];
    if (!member) continue;
    describeMember(member, rules);
    describeNested(member, type, name);
  }
}

function describeMember(schema: Schema, rules: RuleMetadata[]): void {
  restrict(schema, keywordsOf(rules.filter(({ each }) => !each)));
  const ofItems = keywordsOf(
    rules.filter(({ each, type }) => each && type !== ValidationTypes.NESTED_VALIDATION),
  );
  if (Object.keys(ofItems).length > 0) restrict((schema.items ??= {}), ofItems);
}

/** Adds keywords, except to a choice. Words that a decorator lists stay, and so do stricter bounds. */
function restrict(schema: Schema, keywords: Schema): void {
  if (isElsewhere(schema)) return;
  const given = { ...schema };
  Object.assign(schema, keywords);
  if (given.enum) schema.enum = given.enum;
  if (given.type !== undefined)
    schema.type = keywords.type === 'integer' ? asInteger(given.type) : given.type;
  for (const bound of ['minimum', 'minLength', 'minItems'] as const)
    if (given[bound] !== undefined) schema[bound] = Math.max(given[bound], keywords[bound] ?? -Infinity);
  for (const bound of ['maximum', 'maxLength', 'maxItems'] as const)
    if (given[bound] !== undefined) schema[bound] = Math.min(given[bound], keywords[bound] ?? Infinity);
}

/** Is true for a reference and for a choice between schemas. */
function isElsewhere({ $ref, allOf, anyOf, oneOf }: Schema): boolean {
  return [$ref, allOf, anyOf, oneOf].some((each) => each !== undefined);
}

/** A number, or a number or null, as an integer. */
function asInteger(type: NonNullable<Schema['type']>): NonNullable<Schema['type']> {
  return typeof type === 'string' ? 'integer' : type.map((each) => (each === 'number' ? 'integer' : each));
}

/** Adds the members of a nested class to a schema that is written in place. */
function describeNested(member: Schema, type: DtoClass, name: string): void {
  const place = [member.type].flat().includes('array') ? (member.items ??= {}) : member;
  const typeMetadata = defaultMetadataStorage.findTypeMetadata(type, name);
  const isNested = rulesOf(type)
    .get(name)
    ?.some((rule) => rule.type === ValidationTypes.NESTED_VALIDATION);
  if (!isNested || !typeMetadata || isElsewhere(place)) return;
  const { discriminator } = typeMetadata.options;
  describeInPlace(place, typeMetadata.typeFunction() as DtoClass);
  if (discriminator)
    Object.assign(place, choiceOf(discriminator.property, discriminator.subTypes as Choice[]));
}

interface Choice {
  name: string;
  value: DtoClass;
}

/** Says by `if` and `then` which members an object of each kind has: generated types stay simple. */
function choiceOf(property: string, [first, ...rest]: Choice[]): Schema {
  if (!first) return {};
  const then: Schema = {};
  describeInPlace(then, first.value);
  delete then.type;
  return {
    if: { properties: { [property]: { const: first.name } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then,
    ...(rest.length > 0 && { else: choiceOf(property, rest) }),
  };
}

function describeInPlace(schema: Schema, type: DtoClass): void {
  schema.type = 'object';
  schema.properties ??= {};
  for (const [name, rules] of rulesOf(type)) {
    schema.properties[name] ??= emptySchema(rules);
    if (!isConditional(rules)) schema.required = [...new Set([...(schema.required ?? []), name])];
  }
  describeMembers(schema, type);
}

/** The schema of a member before its limits: lists and nested objects need a type. */
function emptySchema(rules: RuleMetadata[]): Schema {
  const nested = rules.find(({ type }) => type === ValidationTypes.NESTED_VALIDATION);
  if (nested?.each) return { type: 'array', items: { type: 'object' } };
  return nested ? { type: 'object' } : {};
}

function isConditional(rules: RuleMetadata[]): boolean {
  return rules.some(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
}

function nestedTypes(type: DtoClass, name: string): DtoClass[] {
  const metadata = defaultMetadataStorage.findTypeMetadata(type, name);
  return metadata ? [metadata.typeFunction() as DtoClass] : [];
}

/** The rules of a class by member. */
function rulesOf(type: Function): Map<string, RuleMetadata[]> {
  const all = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  return Map.groupBy(all, ({ propertyName }) => propertyName);
}
