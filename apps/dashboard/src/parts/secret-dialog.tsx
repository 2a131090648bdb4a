import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';

interface SecretDialogProps {
  title: string;
  /** Closes it: the secret is not shown again. */
  onClose: () => void;
  /** The secret; the dialog is open while there is one. */
  children: ReactNode;
}

/** Shows a secret over the page, and stays until its button is pressed. The focus then goes back to the page. */
export function SecretDialog({ title, onClose, children }: SecretDialogProps): ReactNode {
  const [shown, setShown] = useState(children);
  if (children && children !== shown) setShown(children);
  const returnFocus = useReturnFocus();
  return (
    <Modal
      opened={Boolean(children)}
      onClose={onClose}
      // forgets the secret only now: without it the closing dialog would collapse
      onExitTransitionEnd={() => setShown(undefined)}
      title={title}
      size="xl"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      returnFocus={false}
    >
      <Stack>
        {shown}
        <Group justify="flex-end">
          <Button
            onClick={() => {
              onClose();
              returnFocus();
            }}
          >
            I have copied it
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/**
 * Returns a function that focuses what had the focus last on the page below its dialogs, or the heading once that is gone.
 * The dialog itself finds no such element when it opens: the button that was pressed in the dialog before it is busy.
 */
function useReturnFocus(): () => void {
  const last = useRef<HTMLElement>(undefined);
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && !target.closest('[role=dialog]')) last.current = target;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  return () => {
    const opener = last.current?.isConnected ? last.current : document.querySelector<HTMLElement>('main h1');
    opener?.focus({ preventScroll: true });
  };
}
