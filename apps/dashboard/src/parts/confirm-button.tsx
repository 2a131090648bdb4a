import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useRef, useState } from 'react';

interface ConfirmButtonProps extends ButtonProps {
  /** Verb and object, as `Discard 12 rows`. */
  children: ReactNode;
  /** The question, as `Discard 12 parked rows?`. */
  question: string;
  /** The consequence, and that it cannot be undone where that is so. */
  consequence: ReactNode;
  /** Verb of the button that does it; the text of the button by default. */
  verb?: ReactNode;
  /** Fields that belong to the decision, such as a reason. */
  fields?: ReactNode;
  /** False until `fields` are complete. */
  isReady?: boolean;
  /** False while the page moves the focus itself, as to a wrong field. */
  returnsFocus?: boolean;
  onConfirm: () => Promise<unknown> | void;
}

/** A button that asks before it acts, and closes when the act succeeded. */
export function ConfirmButton({
  question,
  consequence,
  verb,
  fields,
  isReady = true,
  returnsFocus = true,
  onConfirm,
  children,
  ...button
}: ConfirmButtonProps): ReactNode {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [isBusy, setBusy] = useState(false);
  const hasBegun = useRef(false);
  const confirm = async () => {
    // the second half of a double click may come before the button is disabled
    if (hasBegun.current) return;
    hasBegun.current = true;
    setBusy(true);
    const isDone = await Promise.resolve(onConfirm()).then(
      () => true,
      () => false,
    );
    hasBegun.current = false;
    setBusy(false);
    if (isDone) close();
  };
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {children}
      </Button>
      <Modal opened={isOpen} onClose={close} title={question} centered returnFocus={returnsFocus}>
        <Stack>
          <Text component="div">{consequence}</Text>
          {fields}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} data-autofocus>
              Cancel
            </Button>
            <Button
              color={button.color ?? 'red'}
              loading={isBusy}
              disabled={!isReady}
              onClick={() => void confirm()}
            >
              {verb ?? children}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
