import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConfirmButton } from './confirm-button.tsx';

interface SwitchButtonProps {
  isOn: boolean;
  /** Verbs of the two acts, as `Enable` and `Disable`. */
  verbs: { on: string; off: string };
  /** Asked before it is turned off. */
  question: string;
  consequence: ReactNode;
  onTurnOn: () => void;
  onTurnOff: () => Promise<unknown>;
  isBusy: boolean;
}

/** A button that turns something on immediately, and off after a question. */
export function SwitchButton({
  isOn,
  verbs,
  question,
  consequence,
  onTurnOn,
  onTurnOff,
  isBusy,
}: SwitchButtonProps): ReactNode {
  return isOn ? (
    <ConfirmButton question={question} consequence={consequence} onConfirm={onTurnOff}>
      {verbs.off}
    </ConfirmButton>
  ) : (
    <Button variant="default" loading={isBusy} onClick={onTurnOn}>
      {verbs.on}
    </Button>
  );
}
