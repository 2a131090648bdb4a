import type { ReactNode } from 'react';
import { ActionButton } from './action-button.tsx';
import { ConfirmButton, type ConfirmButtonProps } from './confirm-button.tsx';

interface SwitchButtonProps extends Omit<ConfirmButtonProps, 'children' | 'onConfirm'> {
  isOn: boolean;
  /** Verbs of the two acts, as `Enable` and `Disable`. */
  verbs: { on: string; off: string };
  onTurnOn: () => Promise<unknown>;
  onTurnOff: () => Promise<unknown>;
}

/** A button that turns something on immediately, and off after a question. `variant` is the look of the first. */
export function SwitchButton({
  isOn,
  verbs,
  onTurnOn,
  onTurnOff,
  size = 'sm',
  variant = 'default',
  ...asked
}: SwitchButtonProps): ReactNode {
  return isOn ? (
    <ConfirmButton size={size} {...asked} onConfirm={onTurnOff}>
      {verbs.off}
    </ConfirmButton>
  ) : (
    <ActionButton size={size} variant={variant} onAct={onTurnOn}>
      {verbs.on}
    </ActionButton>
  );
}
