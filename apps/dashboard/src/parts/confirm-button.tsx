import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useHeldList } from './held-list.ts';
import { Unsaved, useLeaving } from './unsaved.tsx';
import { useBusy } from './use-busy.ts';

export interface ConfirmButtonProps extends ButtonProps {
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
  /** True while `fields` hold input, so that Escape or a click outside asks before it is lost. */
  hasInput?: boolean;
  /** Empties `fields` when the dialog closes. */
  onClose?: () => void;
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
  hasInput = false,
  isReady = true,
  returnsFocus = true,
  onClose,
  onConfirm,
  children,
  ...button
}: ConfirmButtonProps): ReactNode {
  const [isOpen, { open, close }] = useDisclosure(false, onClose && { onClose });
  const leaving = useLeaving(close);
  useHeldList(isOpen);
  const { isBusy, run } = useBusy(onConfirm);
  const confirm = async () => {
    if (await run()) close();
  };
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {children}
      </Button>
      <Modal opened={isOpen} onClose={leaving.ask} title={question} centered returnFocus={returnsFocus}>
        <Stack>
          {leaving.watch(<Unsaved isChanged={isOpen && hasInput} />)}
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
      {leaving.question}
    </>
  );
}
