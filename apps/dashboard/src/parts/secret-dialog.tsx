import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';

interface SecretDialogProps {
  title: string;
  /** Closes it: the secret is not shown again. */
  onClose: () => void;
  /** The secret; the dialog is open while there is one. */
  children: ReactNode;
}

/** Shows a secret over the page, and stays until its button is pressed. */
export function SecretDialog({ title, onClose, children }: SecretDialogProps): ReactNode {
  return (
    <Modal
      opened={Boolean(children)}
      onClose={onClose}
      title={title}
      size="xl"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>I have copied it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
