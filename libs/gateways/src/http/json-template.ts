import { Template, TemplateError, type TemplateValues } from './template.ts';

/** Builds a value of a JSON body; undefined leaves its field out. */
export type JsonBuilder = (values: TemplateValues) => unknown;

const MAX_DEPTH = 8;
const NUMBER = /^\{([A-Za-z][A-Za-z0-9]{0,39}):number\}$/;

/**
 * Compiles a JSON value whose texts are templates. The result is built as a value and serialized once, so no text can
 * change its structure. A field whose placeholder has no value is left out, and so is an object that loses all fields.
 * A text that is `{name:number}` alone becomes a number.
 *
 * @throws TemplateError that names the field
 */
export function compileJson(source: unknown, known: ReadonlySet<string>, path = '', depth = 0): JsonBuilder {
  if (depth > MAX_DEPTH) throw new TemplateError(`nests more than ${MAX_DEPTH} levels at ${path}`);
  if (typeof source === 'string') return compileText(source, known, path);
  if (Array.isArray(source)) {
    const builders = source.map((item, i) => compileJson(item, known, `${path}[${i}]`, depth + 1));
    return (values) => unlessEmptied(buildItems(builders, values), source.length);
  }
  if (typeof source === 'object' && source !== null) {
    const builders = Object.entries(source).map(([key, value]): [string, JsonBuilder] => [
      key,
      compileJson(value, known, path === '' ? key : `${path}.${key}`, depth + 1),
    ]);
    return (values) => buildObject(builders, values);
  }
  return () => source;
}

function compileText(source: string, known: ReadonlySet<string>, path: string): JsonBuilder {
  const name = NUMBER.exec(source)?.[1];
  try {
    const template = Template.parse(name === undefined ? source : `{${name}}`, known);
    return name === undefined
      ? (values) => template.render(values)
      : (values) => toNumber(template.render(values));
  } catch (error) {
    if (error instanceof TemplateError) throw new TemplateError(`${path} ${error.message}`, { cause: error });
    throw error;
  }
}

function toNumber(text: string | undefined): number | undefined {
  const number = Number(text);
  return text === undefined || !Number.isFinite(number) ? undefined : number;
}

function buildItems(builders: JsonBuilder[], values: TemplateValues): unknown[] {
  return builders.map((build) => build(values)).filter((item) => item !== undefined);
}

function unlessEmptied(items: unknown[], length: number): unknown[] | undefined {
  return items.length === 0 && length > 0 ? undefined : items;
}

function buildObject(builders: [string, JsonBuilder][], values: TemplateValues): object | undefined {
  const entries = builders
    .map(([key, build]): [string, unknown] => [key, build(values)])
    .filter(([, value]) => value !== undefined);
  return entries.length === 0 && builders.length > 0 ? undefined : Object.fromEntries(entries);
}
