import { Autocomplete, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type SmsRequest, listSenders } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import type { ChangeDraft, SmsDraft } from './sms-draft.ts';
import { WORDS } from './words.ts';

/** Sender and type of an SMS. The senders used lately are offered; any other can be typed. */
export function SenderField({ draft, change }: { draft: SmsDraft; change: ChangeDraft }): ReactNode {
  const { data = [] } = useAnswer(['senders'], (signal) => listSenders({ signal }));
  const isNarrow = useMediaQuery('(max-width: 30em)');
  const used = data.filter(({ channel }) => channel === 'sms').map(({ sender }) => sender);
  return (
    <Group align="flex-start" grow preventGrowOverflow={false} wrap="wrap">
      <Autocomplete
        label={WORDS.sender}
        description={WORDS.senderHelp}
        data={used}
        value={draft.sender}
        maxLength={15}
        placeholder={draft.template?.sender ?? ''}
        onChange={(sender) => change({ sender })}
      />
      <Stack gap={4}>
        <Text size="sm" fw={500} id="sms-type">
          {WORDS.type}
        </Text>
        <SegmentedControl
          aria-labelledby="sms-type"
          orientation={isNarrow ? 'vertical' : 'horizontal'}
          data={Object.entries(WORDS.types).map(([value, label]) => ({ value, label }))}
          value={draft.type}
          onChange={(type) => change({ type: type as SmsRequest['type'] })}
        />
      </Stack>
    </Group>
  );
}
