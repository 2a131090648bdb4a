import { type Query, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type ApiFailure, isTemporary } from './failure.ts';
import { refreshSession } from './me.ts';
import { queries } from './queries.ts';

/** A time in which answers of the page cannot be read again. */
export interface Outage {
  /** HTTP status of the failures, 0 without an answer. */
  status: number;
  /** Milliseconds since 1970 at which the oldest answer that cannot be read again was read; undefined without any. */
  readAt: number | undefined;
}

/** The call by which the page learns that the api is there. */
export const HEARTBEAT = ['heartbeat'] as const;

/** Reads whether the api is there: every half minute, every five seconds in an outage. Its success ends the outage. */
export function useHeartbeat(): UseQueryResult<number> {
  return useQuery({
    queryKey: HEARTBEAT,
    queryFn: async () => {
      await refreshSession();
      readFailedAgain();
      return Date.now();
    },
    initialData: () => Date.now(),
    retry: false,
    meta: { live: [] },
  });
}

/** Returns the outage of the page, if there is one. */
export function useOutage(): Outage | undefined {
  const client = useQueryClient();
  const [outage, setOutage] = useState(findOutage);
  useEffect(() => {
    let last = findOutage();
    setOutage(last);
    return client.getQueryCache().subscribe(() => {
      const next = findOutage();
      // React keeps each update until the next render, also one that changes nothing
      if (next?.status === last?.status && next?.readAt === last?.readAt) return;
      last = next;
      setOutage(next);
    });
  }, [client]);
  return outage;
}

/** Finds the outage of what the page shows, if there is one. */
export function findOutage(): Outage | undefined {
  const failed = queries.getQueryCache().findAll({ type: 'active', predicate: hasFailed });
  if (failed.length === 0) return undefined;
  const answers = failed.filter((each) => !isHeartbeat(each));
  const times = (answers.length > 0 ? answers : failed).map(({ state }) => state.dataUpdatedAt);
  const readAt = Math.min(...times.filter((at) => at > 0));
  return { status: failureOf(failed[0]!)!.status, readAt: Number.isFinite(readAt) ? readAt : undefined };
}

/** True for a query that failed because the api does not work at present. */
export function hasFailed(query: Query): boolean {
  return isTemporary(failureOf(query));
}

/** True for a query of what does not exist, or may not be seen. */
export function isRefused(query: Query): boolean {
  return failureOf(query)?.isLasting ?? false;
}

function failureOf({ state }: Query): ApiFailure | null {
  return (state.error ?? state.fetchFailureReason) as ApiFailure | null;
}

function isHeartbeat({ queryKey }: Query): boolean {
  return queryKey[0] === HEARTBEAT[0];
}

/** Reads again what the page could not read. */
function readFailedAgain(): void {
  const predicate = (query: Query): boolean => hasFailed(query) && !isHeartbeat(query);
  void queries.refetchQueries({ type: 'active', predicate }, { cancelRefetch: false });
}
