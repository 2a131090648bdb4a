import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Column } from './data-list-columns.ts';
import type { ColumnChoiceState } from './use-column-choice.ts';

interface ColumnChoiceProps<Row> {
  columns: readonly Column<Row>[];
  choice: ColumnChoiceState;
}

/** A button that opens the switches of the optional columns. */
export function ColumnChoice<Row>({ columns, choice }: ColumnChoiceProps<Row>): ReactNode {
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns3 size={16} />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={8}>
          {columns
            .filter(({ optional }) => optional !== undefined)
            .map(({ id, label }) => (
              <Checkbox
                key={id}
                label={label}
                checked={!choice.hidden.has(id)}
                onChange={() => choice.toggle(id)}
              />
            ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
