import { Button, type ButtonProps, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useHeldList } from './held-list.ts';
import { useLeaving } from './unsaved.tsx';

interface DialogButtonProps extends Omit<ButtonProps, 'children'> {
  /** Text of the button. */
  label: string;
  'aria-label'?: string;
  /** Heading of the dialog; the text of the button by default. */
  title?: string;
  /** Content of the dialog, which starts afresh each time it opens. */
  children: (close: () => void) => ReactNode;
}

/**
 * A button that opens a dialog, which begins with the focus in its first field. A dialog with unsaved input asks before
 * Escape or a click outside closes it.
 */
export function DialogButton({ label, title = label, children, ...button }: DialogButtonProps): ReactNode {
  const [isOpen, { open, close }] = useDisclosure(false);
  const leaving = useLeaving(close);
  useHeldList(isOpen);
  return (
    <>
      <Button {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={leaving.ask} title={title} centered>
        {isOpen && leaving.watch(<div ref={markFirst}>{children(close)}</div>)}
      </Modal>
      {leaving.question}
    </>
  );
}

/** Marks the first field for the dialog, which would begin at its closing button; without a field the first button. */
function markFirst(content: HTMLElement | null): void {
  const first = content?.querySelector('input, textarea') ?? content?.querySelector('button');
  first?.setAttribute('data-autofocus', '');
}
