import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';

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
  return (
    <CopyButton value={text} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'teal' : 'gray'}
            size="sm"
            onClick={copy}
            aria-label={`Copy ${label}`}
          >
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
