import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { listMessages, previewWebhook } from '@signalbox/client';
import type { ReactNode } from 'react';
import type { Channel } from '@signalbox/domain/channel';
import { useAnswer } from '../../api/use-answer.ts';
import { RequestView } from './request-view.tsx';
import { type WebhookValues, bodyOf } from './webhook-values.ts';
import { WORDS } from './words.ts';

/** Stands in for an endpoint that is not entered yet. */
const ANY_END_POINT = 'https://example.com/reports';

/** Finds the latest delivered message of a channel; undefined when there is none. */
export function useLatestMessage(channel: Channel): string | undefined {
  const query = { channel, status: ['Delivered' as const], limit: 1 };
  const latest = useAnswer(['messages', 'latest', channel], (signal) => listMessages({ query, signal }));
  return latest.data?.[0]?.messageId;
}

/** The exact request that the settings of a form make, as they are entered. */
export function PreviewPanel({
  values,
  messageId,
}: {
  values: WebhookValues;
  messageId: string | undefined;
}): ReactNode {
  const [settled] = useDebouncedValue(values, 250);
  const given = bodyOf(settled);
  const body = {
    ...given,
    name: undefined,
    endPoint: given.endPoint === '' ? ANY_END_POINT : given.endPoint,
    headers: (given.headers ?? []).filter(({ key, value }) => key !== '' && value !== ''),
    ...(messageId !== undefined && isShownByMessage(settled) && { messageId }),
  };
  const preview = useAnswer(['webhooks', 'preview', body], (signal) => previewWebhook({ body, signal }), {
    keepsPrevious: true,
  });
  return (
    <Stack gap={6}>
      <Title order={2}>{WORDS.preview}</Title>
      <Text size="sm" c="dimmed">
        {'messageId' in body ? WORDS.previewReal : WORDS.previewSample}
      </Text>
      <Rendered preview={preview} />
    </Stack>
  );
}

/** A message shows its status, not what a recipient wrote. */
function isShownByMessage({ channel, events }: WebhookValues): boolean {
  return channel === 'sms' || events.includes('message.status');
}

function Rendered({
  preview: { data, error },
}: {
  preview: ReturnType<typeof useAnswer<Parameters<typeof RequestView>[0]['call']>>;
}): ReactNode {
  if (error)
    return (
      <Text size="sm" c="dimmed" role="status">
        {`${WORDS.previewFails} ${error.details[0] ? `${error.details[0].field} ${error.details[0].message}.` : error.message}`}
      </Text>
    );
  return data ? <RequestView call={data} label={WORDS.preview} /> : <Skeleton height={220} />;
}
