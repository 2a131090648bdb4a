import { type UseQueryResult, keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ClientResult, answerOf } from './answer.ts';
import type { ApiFailure } from './failure.ts';
import { readsAllowed } from './held-reads.ts';
import { type LiveKind, isBusy } from './live.ts';
import { queries } from './queries.ts';

type Call<Data> = (signal: AbortSignal) => ClientResult<{ data: Data }>;

/** Options of a reading call. */
interface AnswerOptions {
  /** False while the call must not be made. */
  enabled?: boolean;
  /** Milliseconds between repeats; without it the answer is read once, and again when an event invalidates it. */
  refetchInterval?: number | false;
  /** Events after which the answer is read again; an empty list reads it every half minute. */
  live?: readonly LiveKind[];
  /** Milliseconds between repeats while such events keep coming: for figures, which are counted after the event. */
  pace?: number;
  /** Keeps the previous answer on the page while the key changes. */
  keepsPrevious?: boolean;
}

/**
 * Reads one answer: `useAnswer(['message', id], (signal) => getMessage({ path: { messageId: id }, signal }))` has the
 * `data` of the body. The key begins with the area, so that events and writes invalidate by area.
 */
export function useAnswer<Data>(
  key: readonly unknown[],
  call: Call<Data>,
  { enabled = true, refetchInterval = false, keepsPrevious = false, live, pace }: AnswerOptions = {},
): UseQueryResult<Data, ApiFailure> {
  return useQuery<Data, ApiFailure>({
    ...queryOf(key, call),
    enabled,
    refetchInterval: pace === undefined ? refetchInterval : () => (live?.some(isBusy) ? pace : false),
    ...(live && { meta: { live, isPaced: pace !== undefined } }),
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
}

/** Begins to read an answer before its page is rendered. The key and the call must be those of the page. */
export function readAhead<Data>(key: readonly unknown[], call: Call<Data>): void {
  void queries.prefetchQuery(queryOf(key, call));
}

function queryOf<Data>(queryKey: readonly unknown[], call: Call<Data>) {
  return {
    queryKey,
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      await readsAllowed();
      return (await answerOf(call(signal))).data;
    },
  };
}
