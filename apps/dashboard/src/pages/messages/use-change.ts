import { useNavigate } from '@tanstack/react-router';
import { type MessageSearch, withoutUndefined } from './search.ts';

/** Changes some filters of the address and keeps the others. */
export function useChange(): (change: { [K in keyof MessageSearch]?: MessageSearch[K] | undefined }) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: '/messages',
      search: (before: MessageSearch) => withoutUndefined({ ...before, ...change }) as MessageSearch,
    });
}
