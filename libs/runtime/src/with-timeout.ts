/** Thrown when work takes longer than its limit: `isOutage` counts what it waits for as unavailable. */
class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

/**
 * Resolves or rejects as `work` does, within a time limit. The work itself continues.
 *
 * @param what names the work in the error
 * @throws UnansweredError when the work takes longer
 */
export async function withTimeout<R>(work: Promise<R>, timeoutMs: number, what: string): Promise<R> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new UnansweredError(`${what} did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for an answer. Returns false when it is an error, or does not come in time. */
export function answersWithin(answer: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  return withTimeout(answer, timeoutMs, 'the dependency').then(
    () => true,
    () => false,
  );
}
