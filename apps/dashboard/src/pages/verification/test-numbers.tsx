import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { inputOf } from '../../parts/input-of.ts';
import type { TestNumber } from './draft.ts';
import type { FieldsProps } from './fields.ts';
import { FORM } from './words.ts';

const inAMonth = (): string => new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

/** Test numbers of a configuration; stored ones are replaced as a whole, because their codes are not shown. */
export function TestNumbers({ draft, set, about }: FieldsProps): ReactNode {
  const rows = draft.testNumbers;
  const change = (i: number, part: Partial<TestNumber>) =>
    set({ testNumbers: rows?.map((row, n) => (n === i ? { ...row, ...part } : row)) });
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {FORM.testNumbers}
      </Title>
      <Text size="sm" c="dimmed">
        {rows === undefined ? FORM.testKept : FORM.testHint}
      </Text>
      {rows?.map((row, i) => (
        <Group key={i} align="flex-end" gap="xs">
          {(['number', 'code', 'until'] as const).map((name) => (
            <TextInput
              key={name}
              label={name === 'code' ? FORM.testCode : FORM[name]}
              type={name === 'until' ? 'date' : 'text'}
              required
              {...inputOf(
                { draft: row, set: (part) => change(i, part), about },
                name,
                `testNumbers[${i}].${name}`,
              )}
            />
          ))}
          <Button
            variant="subtle"
            color="red"
            onClick={() => set({ testNumbers: rows.filter((_, n) => n !== i) })}
          >
            {FORM.removeTest}
          </Button>
        </Group>
      ))}
      <Group>
        <Button
          variant="default"
          onClick={() =>
            set({
              testNumbers: rows === undefined ? [] : [...rows, { number: '', code: '', until: inAMonth() }],
            })
          }
        >
          {rows === undefined ? FORM.replaceTests : FORM.addTest}
        </Button>
      </Group>
    </Stack>
  );
}
