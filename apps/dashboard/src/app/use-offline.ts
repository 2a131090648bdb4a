import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiFailure } from '../api/failure.ts';

/** True from the first call without an answer until the next call that gets one. */
export function useOffline(): boolean {
  const queries = useQueryClient();
  const [isOffline, setOffline] = useState(false);
  useEffect(() => {
    let last = false;
    const note = (next: boolean) => {
      // React keeps each update until the next render, also one that changes nothing
      if (next !== last) setOffline(next);
      last = next;
    };
    return queries.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated') return;
      const { action } = event;
      if (action.type === 'success' && !action.manual) note(false);
      if (action.type !== 'failed' && action.type !== 'error') return;
      // a call that its page gave up says nothing about the network
      if (action.error instanceof ApiFailure) note(action.error.isOffline);
    });
  }, [queries]);
  return isOffline;
}
