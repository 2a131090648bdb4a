/** One error code. */
export interface ErrorKind {
  /** HTTP status of every answer with this code. */
  status: number;
  /** True when the same request may succeed later. */
  retryable: boolean;
  /** One sentence that says what happened. */
  title: string;
  /** Advice for the caller. */
  action: string;
}
