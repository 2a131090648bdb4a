import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useBusy } from './use-busy.ts';

interface ActionButtonProps extends Omit<ButtonProps, 'loading'> {
  'aria-label'?: string;
  /** Acts; its promise ends when the page shows the outcome, as that of `mutateAsync`. */
  onAct: () => Promise<unknown>;
}

/** A button that makes a call. It is busy while the call is under way, so that a second press does nothing. */
export function ActionButton({ onAct, ...button }: ActionButtonProps): ReactNode {
  const { isBusy, run } = useBusy(onAct);
  return <Button {...button} loading={isBusy} onClick={() => void run()} />;
}
