import { Box, Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyIcon } from './copyable.tsx';

/** A value as indented JSON, with a button that copies it. A text is shown as it is, indented when it is JSON. */
export function JsonView({
  value,
  label = 'JSON',
  maxHeight = 420,
}: {
  value: unknown;
  label?: string;
  maxHeight?: number;
}): ReactNode {
  const text = typeof value === 'string' ? indented(value) : JSON.stringify(value, null, 2);
  return (
    <Box pos="relative">
      <Code
        block
        mah={maxHeight}
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
        tabIndex={0}
      >
        {text}
      </Code>
      <Box pos="absolute" top={6} right={6}>
        <CopyIcon text={text} label={label} />
      </Box>
    </Box>
  );
}

/** Indents JSON; another text is returned as it is. Numbers keep their digits, where the browser can. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, asWritten), null, 2);
  } catch {
    return text;
  }
}

/** Not in the types of TypeScript yet. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };

function asWritten(_: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && rawJSON && context?.source ? rawJSON(context.source) : value;
}
