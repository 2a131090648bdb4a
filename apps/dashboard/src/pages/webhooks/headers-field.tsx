import { ActionIcon, Autocomplete, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { WebhookForm } from './webhook-form.ts';
import { PLACEHOLDERS, WORDS } from './words.ts';

const CHOICES = Object.keys(PLACEHOLDERS).map((name) => `{{${name}}}`);

/** Headers as rows of Key and Value; a Value is a placeholder to pick or to type. */
export function HeadersField({ form }: { form: WebhookForm }): ReactNode {
  return (
    <Input.Wrapper
      label={WORDS.headers}
      description={WORDS.headersHint}
      labelElement="div"
      error={form.errors['headers']}
    >
      <Stack gap="xs" mt={6}>
        {form.values.headers.length > 0 && (
          <Group gap="xs" wrap="nowrap" pr={42} aria-hidden>
            <Text size="xs" c="dimmed" flex={1}>
              {WORDS.key}
            </Text>
            <Text size="xs" c="dimmed" flex={1.5}>
              {WORDS.value}
            </Text>
          </Group>
        )}
        {form.values.headers.map((_, i) => (
          <HeaderRow key={form.key(`headers.${i}`)} form={form} index={i} />
        ))}
        <Button
          variant="subtle"
          w="fit-content"
          size="xs"
          leftSection={<IconPlus size={14} />}
          onClick={() => form.insertListItem('headers', { key: '', value: '' })}
        >
          {WORDS.addHeader}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}

function HeaderRow({ form, index }: { form: WebhookForm; index: number }): ReactNode {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <TextInput
        aria-label={`${WORDS.key} ${index + 1}`}
        flex={1}
        miw={0}
        {...form.getInputProps(`headers.${index}.key`)}
      />
      <Autocomplete
        aria-label={`${WORDS.value} ${index + 1}`}
        data={CHOICES}
        flex={1.5}
        miw={0}
        renderOption={({ option }) => <Choice value={option.value} />}
        {...form.getInputProps(`headers.${index}.value`)}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`${WORDS.removeHeader} ${index + 1}`}
        onClick={() => form.removeListItem('headers', index)}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
}

function Choice({ value }: { value: string }): ReactNode {
  const name = value.slice(2, -2) as keyof typeof PLACEHOLDERS;
  return (
    <div>
      <div>{value}</div>
      <div style={{ fontSize: 12, color: 'var(--sb-quiet)' }}>{PLACEHOLDERS[name]}</div>
    </div>
  );
}
