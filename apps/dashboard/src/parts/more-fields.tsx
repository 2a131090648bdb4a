import { Button, Collapse, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface MoreFieldsProps {
  label: string;
  /** Names the fields, next to the label. */
  hint?: string;
  /** Keeps the fields open, as while one of them is refused. */
  isForced?: boolean;
  children: ReactNode;
}

/** Fields that are needed less often, behind a button. */
export function MoreFields({ label, hint, isForced = false, children }: MoreFieldsProps): ReactNode {
  const [isToggled, { toggle }] = useDisclosure(false);
  const isOpen = isToggled || isForced;
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <Button
        variant="subtle"
        size="xs"
        px={4}
        leftSection={<Icon size={16} />}
        onClick={toggle}
        aria-expanded={isOpen}
      >
        {label}
        {hint !== undefined && (
          <Text span c="dimmed" size="xs" ml={8} fw={400}>
            {hint}
          </Text>
        )}
      </Button>
      <Collapse expanded={isOpen}>
        <Stack gap="md" mt="sm">
          {children}
        </Stack>
      </Collapse>
    </div>
  );
}
