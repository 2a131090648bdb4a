import { type Static, type TSchema, Type } from 'typebox';

/** The envelope of a successful answer, except those of a send. */
export interface Answer<D> {
  data: D;
  message: string;
  error: null;
}

/** Describes the envelope of an answer with this `data`. */
export function answerOf<D extends TSchema>(data: D) {
  return Type.Object({ data, message: Type.String(), error: Type.Null() });
}

/** Describes the envelope of one page of a list. */
export function listOf<D extends TSchema>(entry: D) {
  return Type.Object({
    ...answerOf(Type.Array(entry)).properties,
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: '`cursor` of the next page; null at the end.',
    }),
  });
}

/** Describes the `data` of the answer to a deletion. */
export const DELETED = Type.Object({ id: Type.String({ format: 'uuid' }) });

/** One page of a list. */
export interface Page<D> {
  page: D[];
  /** Cursor of the next page; null at the end. */
  nextCursor: string | null;
}

/** The envelope of one page of a list. */
export interface ListAnswer<D> extends Answer<D[]> {
  /** Cursor of the next page; null at the end. */
  nextCursor: string | null;
}

export function answer<D>(data: D, message: string): Answer<D> {
  return { data, message, error: null };
}

/** Answers with a page, or with all entries of a list; the message counts them, as in `2 webhooks.` */
export function listAnswer<D>(list: Page<D> | D[], noun: string): ListAnswer<D> {
  const { page, nextCursor } = Array.isArray(list) ? { page: list, nextCursor: null } : list;
  return { ...answer(page, `${counted(page.length, noun)}.`), nextCursor };
}

/** A count with its noun: `1 webhook`, `2 webhooks`. */
export function counted(n: number, one: string, many = plural(one)): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** The plural of a regular noun: `API keys`, `deliveries`. */
function plural(noun: string): string {
  return `${noun.replace(/([^aeiou])y$/, '$1ie')}s`;
}

/**
 * A successful answer of an endpoint: its schema, an example, and how it is made of what the method returns.
 * Without `wrap` the method returns all of it.
 */
export interface Answered<R> {
  schema: TSchema;
  example: object;
  /** Description, unless the endpoint gives another. */
  meaning?: string;
  wrap?: (returned: R) => object;
}

/** Answers with `data` and a message, which may depend on it. */
export function dataOf<S extends TSchema>(
  schema: S,
  example: Static<S>,
  message: string | ((data: Static<S>) => string),
): Answered<Static<S>> {
  const wrap = (data: Static<S>) => answer(data, typeof message === 'string' ? message : message(data));
  return {
    schema: answerOf(schema),
    example: wrap(example),
    ...(typeof message === 'string' && { meaning: message }),
    wrap,
  };
}

/** Answers with one page of a list, or with all entries; the message counts them by a noun. */
export function pageOf<S extends TSchema>(
  entry: S,
  example: Static<S>[],
  noun: string,
): Answered<Page<Static<S>> | Static<S>[]> {
  const wrap = (list: Page<Static<S>> | Static<S>[]) => listAnswer(list, noun);
  return { schema: listOf(entry), example: wrap(example), meaning: `One page of ${plural(noun)}.`, wrap };
}

/** Answers with what the method returns. */
export function plain<S extends TSchema>(schema: S, example: Static<S> & object): Answered<Static<S>> {
  return { schema, example };
}
