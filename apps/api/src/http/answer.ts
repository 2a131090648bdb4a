import { type TSchema, Type } from 'typebox';

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

/** Answers with a page; the message counts its entries, as in `2 webhooks.` */
export function listAnswer<D>({ page, nextCursor }: Page<D>, noun: string): ListAnswer<D> {
  return { ...answer(page, `${counted(page.length, noun)}.`), nextCursor };
}

/** A count with its noun: `1 webhook`, `2 webhooks`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
