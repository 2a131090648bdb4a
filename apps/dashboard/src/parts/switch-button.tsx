import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { ActionButton } from './action-button.tsx';
import { ConfirmButton, type ConfirmButtonProps } from './confirm-button.tsx';

interface SwitchButtonProps extends Omit<ConfirmButtonProps, 'children' | 'onConfirm'> {
  isOn: boolean;
  /** Verbs of the two acts, as `Enable` and `Disable`. */
  verbs: { on: string; off: string };
  onTurnOn: () => Promise<unknown>;
  onTurnOff: () => Promise<unknown>;
}

/**
 * A button that turns something on immediately, and off after a question. `variant` is the look of the first. The focus
 * stays at its place when one button replaces the other.
 */
export function SwitchButton({
  isOn,
  verbs,
  onTurnOn,
  onTurnOff,
  size = 'sm',
  variant = 'default',
  ...asked
}: SwitchButtonProps): ReactNode {
  const place = useRef<HTMLSpanElement>(null);
  const keepFocus = useFocusAt(place, isOn);
  const turn = (act: () => Promise<unknown>) => () => {
    keepFocus();
    return act();
  };
  return (
    <span ref={place} style={{ display: 'contents' }}>
      {isOn ? (
        <ConfirmButton size={size} {...asked} onConfirm={turn(onTurnOff)}>
          {verbs.off}
        </ConfirmButton>
      ) : (
        <ActionButton size={size} variant={variant} onAct={turn(onTurnOn)}>
          {verbs.on}
        </ActionButton>
      )}
    </span>
  );
}

/** Moves the focus to the button of a place, once the act of the last one has replaced it. */
function useFocusAt(place: RefObject<HTMLElement | null>, isOn: boolean): () => void {
  const isDue = useRef(false);
  useEffect(() => {
    if (!isDue.current) return;
    isDue.current = false;
    if (document.activeElement === document.body) place.current?.querySelector('button')?.focus();
  }, [isOn, place]);
  return () => {
    isDue.current = true;
  };
}
