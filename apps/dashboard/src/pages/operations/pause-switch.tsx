import { type LaneBacklog, pauseAccount, resumeAccount } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { SwitchButton } from '../../parts/switch-button.tsx';

type PauseSwitchProps = Pick<LaneBacklog, 'accountId' | 'accountName' | 'pausedAt'>;

/** Pauses the sending of an account, or resumes it. */
export function PauseSwitch({ accountId, accountName, pausedAt }: PauseSwitchProps): ReactNode {
  const path = { accountId };
  const options = { changes: ['lanes', 'accounts'], done: (body: { message: string }) => body.message };
  const pause = useAct(() => pauseAccount({ path }), options);
  const resume = useAct(() => resumeAccount({ path }), options);
  return (
    <SwitchButton
      size="compact-sm"
      variant="filled"
      color="yellow"
      isOn={pausedAt === null}
      verbs={{ on: 'Resume', off: 'Pause' }}
      question={`Pause ${accountName}?`}
      consequence="Its messages and codes are accepted and wait until you resume it. Those that expire meanwhile fail."
      verb="Pause the account"
      onTurnOn={() => resume.mutateAsync()}
      onTurnOff={() => pause.mutateAsync()}
    />
  );
}
