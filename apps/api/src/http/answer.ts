/** The envelope of a good answer that is not a send result (decisions, Envelope). */
export interface Answer<D> {
  data: D;
  message: string;
  error: null;
}

export interface ListAnswer<D> extends Answer<D[]> {
  /** Where the next page starts; null at the end. */
  nextCursor: string | null;
}

export function answer<D>(data: D, message: string): Answer<D> {
  return { data, message, error: null };
}
