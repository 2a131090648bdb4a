import { chooseAccount } from '@signalbox/client';
import { useRouter } from '@tanstack/react-router';
import { useAct } from '../api/use-act.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Account that is chosen once the page before is left. */
    switchesTo?: string;
  }
}

/**
 * Makes the session act in another account, by id. It first leaves the page, which asks before unsaved input is lost: once
 * the session acts elsewhere the page can save nothing. Then all is loaded again, so that nothing of the former account
 * stays in memory. A failure is shown, and does not reject.
 */
export function useSwitchAccount(): (id: string) => Promise<unknown> {
  const { mutateAsync } = useAct((id: string) => chooseAccount({ body: { accountId: id } }));
  const router = useRouter();
  const open = () => window.location.assign(import.meta.env.BASE_URL);
  return async (switchesTo) => {
    // a person who stays keeps this waiting until they go elsewhere
    await router.navigate({ to: '/', state: { switchesTo } });
    if (router.latestLocation.state.switchesTo !== switchesTo) return;
    await mutateAsync(switchesTo, { onSuccess: open }).catch(() => undefined);
  };
}
