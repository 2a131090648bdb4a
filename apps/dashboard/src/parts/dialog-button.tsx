import { Button, type ButtonProps, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface DialogButtonProps extends Omit<ButtonProps, 'children'> {
  /** Text of the button. */
  label: string;
  'aria-label'?: string;
  /** Heading of the dialog; the text of the button by default. */
  title?: string;
  /** Content of the dialog, which starts afresh each time it opens. */
  children: (close: () => void) => ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton({ label, title = label, children, ...button }: DialogButtonProps): ReactNode {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} centered>
        {isOpen && children(close)}
      </Modal>
    </>
  );
}
