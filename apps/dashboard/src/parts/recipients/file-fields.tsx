import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconFileSpreadsheet, IconUpload, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { counted } from '../counted.ts';
import { FileChoice } from '../file-choice.tsx';
import { readCsvFile } from './read-csv-file.ts';
import type { RecipientFile } from './recipients.ts';

const WORDS = {
  upload: 'Upload CSV',
  remove: 'Remove file',
  numberColumn: 'Column of the numbers',
} as const;

/** A button that reads a CSV file, or a text file of the same form, next to what is wrong with the last one. */
export function FileUpload({ onFile }: { onFile: (file: RecipientFile) => void }): ReactNode {
  const [problem, setProblem] = useState<string>();
  const read = async (file: File) => {
    const result = await readCsvFile(file);
    if ('problem' in result) return setProblem(result.problem);
    setProblem(undefined);
    onFile(result);
  };
  return (
    <Group gap="xs">
      {problem !== undefined && (
        <Text size="sm" c="red" role="alert">
          {problem}
        </Text>
      )}
      <FileChoice onFile={(file) => void read(file)} accept=".csv,.txt,text/csv,text/plain">
        {(props) => (
          <Button {...props} variant="default" size="xs" leftSection={<IconUpload size={14} />}>
            {WORDS.upload}
          </Button>
        )}
      </FileChoice>
    </Group>
  );
}

interface FileFieldsProps {
  file: RecipientFile;
  onChange: (file: RecipientFile) => void;
  onRemove: () => void;
}

/** A file of recipients, and the choice of the column with their numbers. */
export function FileFields({ file, onChange, onRemove }: FileFieldsProps): ReactNode {
  const { name, encoding, rows, columns, numberColumn } = file;
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap">
        <Group gap={6} wrap="nowrap" miw={0}>
          <IconFileSpreadsheet size={18} style={{ flex: 'none' }} />
          <Text fw={600} truncate>
            {name}
          </Text>
          <Text size="sm" c="dimmed" style={{ flex: 'none' }}>
            {counted(rows.length, 'row')}
            {encoding !== undefined && `, read as ${encoding}`}
          </Text>
        </Group>
        <Button variant="subtle" size="xs" leftSection={<IconX size={14} />} onClick={onRemove}>
          {WORDS.remove}
        </Button>
      </Group>
      <Select
        label={WORDS.numberColumn}
        data={columns.map((column, i) => ({ value: String(i), label: column }))}
        value={String(numberColumn)}
        allowDeselect={false}
        onChange={(column) => onChange({ ...file, numberColumn: Number(column) })}
        maw={320}
      />
    </Stack>
  );
}
