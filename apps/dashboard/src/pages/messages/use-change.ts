import { useNavigate } from '@tanstack/react-router';
import { withoutUndefined } from '../../parts/search-params.ts';
import type { MessageSearch } from './search.ts';

/** Changes some filters of the address and keeps the others. */
export function useChange(): (change: { [K in keyof MessageSearch]?: MessageSearch[K] | undefined }) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: '/messages',
      search: (before: MessageSearch) => withoutUndefined<MessageSearch>({ ...before, ...change }),
    });
}
