import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConfirmButton, type ConfirmButtonProps } from './confirm-button.tsx';

interface SwitchButtonProps extends Omit<ConfirmButtonProps, 'children' | 'onConfirm'> {
  isOn: boolean;
  /** Verbs of the two acts, as `Enable` and `Disable`. */
  verbs: { on: string; off: string };
  onTurnOn: () => void;
  onTurnOff: () => Promise<unknown>;
  isBusy: boolean;
}

/** A button that turns something on immediately, and off after a question. `variant` is the look of the first. */
export function SwitchButton({
  isOn,
  verbs,
  onTurnOn,
  onTurnOff,
  isBusy,
  size = 'sm',
  variant = 'default',
  ...asked
}: SwitchButtonProps): ReactNode {
  return isOn ? (
    <ConfirmButton size={size} {...asked} onConfirm={onTurnOff}>
      {verbs.off}
    </ConfirmButton>
  ) : (
    <Button size={size} variant={variant} loading={isBusy} onClick={onTurnOn}>
      {verbs.on}
    </Button>
  );
}
