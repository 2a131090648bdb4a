/** Waits for work until a deadline in milliseconds or an abort, and drops its result. Never rejects. */
export async function within(deadlineMs: number, signal: AbortSignal, work: Promise<unknown>): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const timer = setTimeout(ended.resolve, deadlineMs);
  const abort = (): void => ended.resolve();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) ended.resolve();
  await Promise.race([work.catch(() => undefined), ended.promise]);
  clearTimeout(timer);
  signal.removeEventListener('abort', abort);
}
