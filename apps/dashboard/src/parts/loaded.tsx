import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiFailure } from '../api/failure.ts';
import { ErrorState } from './error-state.tsx';

export interface LoadedProps<Data> {
  answer: Pick<UseQueryResult<Data, ApiFailure>, 'data' | 'error' | 'refetch'>;
  /** Height of the placeholder, about that of the content, so that the page does not jump. */
  height: number;
  children: (data: Data) => ReactNode;
}

/** Shows an answer, a placeholder before it, or its failure. An answer that was read stays when a later read fails. */
export function Loaded<Data>({ answer, height, children }: LoadedProps<Data>): ReactNode {
  const { data, error, refetch } = answer;
  if (data !== undefined) return children(data);
  return error ? (
    <ErrorState failure={error} onRetry={() => void refetch()} />
  ) : (
    <Skeleton height={height} aria-label="Loading" />
  );
}
