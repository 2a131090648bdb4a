import { NumberInput, SimpleGrid, Stack, TextInput, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { inputOf } from '../../parts/input-of.ts';
import { localInput } from '../../parts/local-time.ts';
import { TimeInput } from '../../parts/time-input.tsx';
import { WORDS } from './words.ts';

/** Options that every send has. */
interface SendOptions {
  sendAt: string | undefined;
  expiresAt: string | undefined;
  ratePerSecond?: number | undefined;
  campaignName: string;
  clientRef: string;
}

interface OptionsProps {
  draft: SendOptions;
  change: (change: Partial<SendOptions>) => void;
  /** The sentence about a field. */
  about: (field: string) => string | undefined;
  /** False for a single message, which needs no pace. */
  hasPace?: boolean;
}

/** Schedule, pace and labels of a send. */
export function OptionsFields({ draft, change, about, hasPace = true }: OptionsProps): ReactNode {
  const fields = { draft, set: change, about };
  return (
    <Stack gap="sm">
      <Title order={2}>{hasPace ? WORDS.options : WORDS.optionsOfOne}</Title>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {(['sendAt', 'expiresAt'] as const).map((name) => (
          <TimeInput
            key={name}
            label={WORDS[name]}
            description={WORDS[`${name}Help`]}
            error={about(name)}
            min={localInput(new Date().toISOString())}
            value={draft[name]}
            onChange={(at) => change({ [name]: at })}
          />
        ))}
        {hasPace && (
          <NumberInput
            label={WORDS.rate}
            error={about('ratePerSecond')}
            description={WORDS.rateHelp}
            min={1}
            max={10_000}
            allowDecimal={false}
            value={draft.ratePerSecond ?? ''}
            onChange={(rate) => change({ ratePerSecond: typeof rate === 'number' ? rate : undefined })}
          />
        )}
        <TextInput
          label={WORDS.campaign}
          description={WORDS.campaignHelp}
          maxLength={256}
          {...inputOf(fields, 'campaignName')}
        />
        <TextInput
          label={WORDS.reference}
          description={WORDS.referenceHelp}
          maxLength={255}
          {...inputOf(fields, 'clientRef')}
        />
      </SimpleGrid>
    </Stack>
  );
}
