import { Code, Stack, Tabs, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyIcon } from '../../parts/copyable.tsx';
import { Secret } from '../../parts/secret.tsx';
import { LANGUAGES, SNIPPETS } from './snippets.ts';
import { WORDS } from './words.ts';

/** A signing secret, shown once, with functions that verify what it signs. */
export function NewSecret({ secret, method }: { secret: string; method: 'GET' | 'POST' }): ReactNode {
  return (
    <Stack>
      <Secret value={secret} label={WORDS.secret} />
      <Verification method={method} />
    </Stack>
  );
}

/** Functions that verify the signature of a push, one per language. */
export function Verification({ method }: { method: 'GET' | 'POST' }): ReactNode {
  return (
    <Stack gap={6}>
      <Title order={2}>{WORDS.verify}</Title>
      <Text size="sm" c="dimmed">
        {WORDS.verifyHint[method]}
      </Text>
      <Tabs defaultValue={LANGUAGES[0]} variant="outline">
        <Tabs.List>
          {LANGUAGES.map((language) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {LANGUAGES.map((language) => (
          <Tabs.Panel key={language} value={language} pt="xs">
            <CopyIcon text={SNIPPETS[language]} label={`${language} code`} />
            <Code block tabIndex={0} mah={380} style={{ overflow: 'auto' }}>
              {SNIPPETS[language]}
            </Code>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
