import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useCopy } from './use-copy.ts';

interface CopyableProps {
  text: string;
  /** Shown in place of the text; the text is copied. */
  children?: ReactNode;
  /** Names what is copied, as `message id`. */
  label?: string;
}

/** A value with a button that copies it. */
export function Copyable({ text, children, label }: CopyableProps): ReactNode {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex" maw="100%">
      {children ?? (
        <Text span ff="monospace" size="sm" truncate>
          {text}
        </Text>
      )}
      <CopyIcon text={text} label={label ?? 'value'} />
    </Group>
  );
}

/** A button that copies a text. */
export function CopyIcon({ text, label }: { text: string; label: string }): ReactNode {
  const { hasCopied, copy } = useCopy();
  return (
    <Tooltip label={hasCopied ? 'Copied' : `Copy ${label}`}>
      <ActionIcon
        variant="subtle"
        color={hasCopied ? 'teal' : 'gray'}
        size="sm"
        onClick={() => copy(text)}
        aria-label={`Copy ${label}`}
      >
        {hasCopied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
    </Tooltip>
  );
}
