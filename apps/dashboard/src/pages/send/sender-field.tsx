import { Autocomplete, Group, Input, SegmentedControl, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { SmsRequest } from '@signalbox/client';
import type { ReactNode } from 'react';
import { TYPE_CHOICES } from '../../parts/type-names.ts';
import { useSenders } from '../senders/use-senders.ts';
import type { ChangeDraft, SmsDraft } from './sms-draft.ts';
import { WORDS } from './words.ts';

/** A phone, and windows in which the summary stands next to the fields and leaves them little room. */
const NARROW = '(max-width: 30em), (min-width: 62em) and (max-width: 70em)';

interface SenderProps {
  draft: SmsDraft;
  change: ChangeDraft;
  error: string | undefined;
}

/** Sender and type of an SMS. The senders used lately are offered; any other can be typed. */
export function SenderField({ draft, change, error }: SenderProps): ReactNode {
  const { data = [] } = useSenders();
  const isNarrow = useMediaQuery(NARROW);
  const used = data.filter(({ channel }) => channel === 'sms').map(({ sender }) => sender);
  return (
    <Group align="flex-start" grow preventGrowOverflow={false} wrap="wrap">
      <Autocomplete
        label={WORDS.sender}
        description={WORDS.senderHelp}
        data={used}
        value={draft.sender}
        error={error}
        maxLength={15}
        placeholder={draft.template?.sender ?? ''}
        onChange={(sender) => change({ sender })}
      />
      <Stack gap={4} miw={{ base: '100%', xs: 0 }}>
        <Input.Label labelElement="div" id="sms-type">
          {WORDS.type}
        </Input.Label>
        <Input.Description id="sms-type-help">{WORDS.typeHelp[draft.type]}</Input.Description>
        <SegmentedControl
          aria-labelledby="sms-type"
          aria-describedby="sms-type-help"
          fullWidth
          orientation={isNarrow ? 'vertical' : 'horizontal'}
          data={TYPE_CHOICES}
          value={draft.type}
          onChange={(type) => change({ type: type as SmsRequest['type'] })}
        />
      </Stack>
    </Group>
  );
}
