import { Button, FileButton } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface CsvButtonProps {
  label: string;
  onFile: (file: File | null) => void;
}

/** A button that asks for a CSV file, or a text file of the same form. */
export function CsvButton({ label, onFile }: CsvButtonProps): ReactNode {
  return (
    <FileButton onChange={onFile} accept=".csv,.txt,text/csv,text/plain">
      {(props) => (
        <Button {...props} variant="default" size="xs" leftSection={<IconUpload size={14} />}>
          {label}
        </Button>
      )}
    </FileButton>
  );
}
