import { Alert, Code, Group, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { CopyIcon } from './copyable.tsx';

interface SecretProps {
  value: string;
  label: string;
  /** Sentence that says what to do with it. */
  advice?: string;
}

/** A secret that is shown once, with the warning that it will not be shown again. */
export function Secret({
  value,
  label,
  advice = 'Store it with your other secrets.',
}: SecretProps): ReactNode {
  return (
    <Alert
      icon={<IconKey size={18} />}
      color="yellow"
      title={<Text inherit c="var(--mantine-color-text)">{`Copy the ${label} now`}</Text>}
    >
      <Text size="sm" mb="xs">
        It is shown once. {advice}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Code block flex={1} style={{ wordBreak: 'break-all', whiteSpace: 'pre-wrap' }}>
          {value}
        </Code>
        <CopyIcon text={value} label={label} />
      </Group>
    </Alert>
  );
}
