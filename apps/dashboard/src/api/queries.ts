import { QueryClient } from '@tanstack/react-query';
import { isTemporary } from './failure.ts';

const MAX_RETRIES = 2;

/** The cache of all answers. A refused call is not repeated; one that got no answer is, twice. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < MAX_RETRIES && isTemporary(error),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});
