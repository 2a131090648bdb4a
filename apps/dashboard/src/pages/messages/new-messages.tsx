import { Affix, Button, Transition } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { PAGE } from './use-messages.ts';

/** A button that shows messages which arrived since the list was read. */
export function NewMessages({ count, onShow }: { count: number; onShow: () => void }): ReactNode {
  const shown = count >= PAGE ? `${PAGE}+` : count.toLocaleString();
  return (
    <Affix position={{ top: 68, left: 0, right: 0 }} style={{ pointerEvents: 'none', textAlign: 'center' }}>
      <Transition mounted={count > 0} transition="slide-down">
        {(style) => (
          <Button
            style={{ ...style, pointerEvents: 'auto' }}
            radius="xl"
            size="xs"
            leftSection={<IconArrowUp size={14} />}
            onClick={onShow}
          >
            {`${shown} new ${count === 1 ? 'message' : 'messages'}`}
          </Button>
        )}
      </Transition>
    </Affix>
  );
}
