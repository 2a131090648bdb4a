import { chooseAccount } from '@signalbox/client';
import { useAct } from '../api/use-act.ts';

/**
 * Makes the session act in another account, by id. The page is loaded again, so that nothing of the former account stays
 * in memory.
 */
export function useSwitchAccount(): { switchTo: (id: string) => void; isBusy: boolean } {
  const { mutate, isPending } = useAct((id: string) => chooseAccount({ body: { accountId: id } }));
  const open = () => window.location.assign(import.meta.env.BASE_URL);
  return { switchTo: (id) => mutate(id, { onSuccess: open }), isBusy: isPending };
}
