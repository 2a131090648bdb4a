import { chooseAccount } from '@signalbox/client';
import { useAct } from '../api/use-act.ts';

/**
 * Makes the session act in another account, by id. The page is loaded again, so that nothing of the former account stays
 * in memory. A failure is shown, and does not reject.
 */
export function useSwitchAccount(): (id: string) => Promise<unknown> {
  const { mutateAsync } = useAct((id: string) => chooseAccount({ body: { accountId: id } }));
  const open = () => window.location.assign(import.meta.env.BASE_URL);
  return (id) => mutateAsync(id, { onSuccess: open }).catch(() => undefined);
}
