import { type UseQueryResult, keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ClientResult, answerOf } from './answer.ts';
import type { ApiFailure } from './failure.ts';
import type { LiveKind } from './live.ts';

/** Options of a reading call. */
interface AnswerOptions {
  /** False while the call must not be made. */
  enabled?: boolean;
  /** Milliseconds between repeats; without it the answer is read once, and again when an event invalidates it. */
  refetchInterval?: number | false;
  /** Events after which the answer is read again. */
  live?: readonly LiveKind[];
  /** Keeps the previous answer on the page while the key changes. */
  keepsPrevious?: boolean;
}

/**
 * Reads one answer: `useAnswer(['message', id], (signal) => getMessage({ path: { messageId: id }, signal }))` has the
 * `data` of the body. The key begins with the area, so that events and writes invalidate by area.
 */
export function useAnswer<Data>(
  key: readonly unknown[],
  call: (signal: AbortSignal) => ClientResult<{ data: Data }>,
  { enabled = true, refetchInterval = false, keepsPrevious = false, live }: AnswerOptions = {},
): UseQueryResult<Data, ApiFailure> {
  return useQuery<Data, ApiFailure>({
    queryKey: key,
    queryFn: async ({ signal }) => (await answerOf(call(signal))).data,
    enabled,
    refetchInterval,
    ...(live && { meta: { live } }),
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
}
