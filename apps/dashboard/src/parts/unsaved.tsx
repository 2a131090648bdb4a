import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, type RefObject, createContext, use, useLayoutEffect, useRef, useState } from 'react';

/** True while a form in the dialog has unsaved input. */
const DialogInput = createContext<RefObject<boolean> | undefined>(undefined);

interface Place {
  pathname: string;
  search: unknown;
}

/**
 * Asks before unsaved input is left: by a link, by going back, by closing the dialog around it, and by the browser when the
 * tab is closed. After a save, `useNextPage` leaves without the question.
 */
export function Unsaved({ isChanged }: { isChanged: boolean }): ReactNode {
  const latest = useRef(isChanged);
  const dialog = use(DialogInput);
  useLayoutEffect(() => {
    latest.current = isChanged;
    if (!dialog) return;
    dialog.current = isChanged;
    return () => {
      dialog.current = false;
    };
  }, [isChanged, dialog]);
  const [{ shouldBlockFn, enableBeforeUnload }] = useState(() => ({
    shouldBlockFn: ({ current, next }: { current: Place; next: Place }) =>
      latest.current && isElsewhere(current, next),
    enableBeforeUnload: () => latest.current,
  }));
  const blocker = useBlocker({ shouldBlockFn, enableBeforeUnload, withResolver: true });
  return (
    <LeaveQuestion
      isOpen={blocker.status === 'blocked'}
      onStay={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
    />
  );
}

/** Following a link within the page leaves nothing. */
function isElsewhere(current: Place, next: Place): boolean {
  return current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search);
}

interface Leaving {
  /** Closes the dialog, after a question where a form in it has unsaved input. */
  ask: () => void;
  /** Goes around the content of the dialog. */
  watch: (content: ReactNode) => ReactNode;
  question: ReactNode;
}

/** Asks before a dialog with unsaved input is closed. */
export function useLeaving(close: () => void): Leaving {
  const hasInput = useRef(false);
  const [isAsking, setAsking] = useState(false);
  // in a later task: the Escape that asks would close the question too
  const open = () => void setTimeout(() => setAsking(true));
  return {
    ask: () => (hasInput.current ? open() : close()),
    watch: (content) => <DialogInput value={hasInput}>{content}</DialogInput>,
    question: (
      <LeaveQuestion
        isOpen={isAsking}
        onStay={() => setAsking(false)}
        onLeave={() => {
          setAsking(false);
          close();
        }}
      />
    ),
  };
}

interface QuestionProps {
  isOpen: boolean;
  onStay: () => void;
  onLeave: () => void;
}

function LeaveQuestion({ isOpen, onStay, onLeave }: QuestionProps): ReactNode {
  return (
    <Modal opened={isOpen} onClose={onStay} title="Leave without saving?" centered zIndex={400}>
      <Stack>
        <Text>What you typed is lost.</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onStay} data-autofocus>
            Stay
          </Button>
          <Button color="red" onClick={onLeave}>
            Leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
