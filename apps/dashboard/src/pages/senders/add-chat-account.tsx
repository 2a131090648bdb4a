import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { createChatAccount } from '@signalbox/client';
import { IconPlus } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { FailureText } from '../../parts/error-state.tsx';
import { WORDS } from './words.ts';

/** A button that opens the form for a new chat account. */
export function AddChatAccount(): ReactNode {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [name, setName] = useState('');
  const add = useAct(() => createChatAccount({ body: { name: name.trim() } }), {
    changes: ['senders'],
    done: ({ message }) => message,
    showsFailure: false,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(undefined, {
      onSuccess: () => {
        setName('');
        close();
      },
    });
  };
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={open}>
        {WORDS.addAccount}
      </Button>
      <Modal opened={isOpen} onClose={close} title={WORDS.addAccount} centered>
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label={WORDS.name}
              required
              data-autofocus
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            {add.error && <FailureText failure={add.error} />}
            <Group justify="flex-end">
              <Button type="submit" loading={add.isPending}>
                {WORDS.addAccount}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
