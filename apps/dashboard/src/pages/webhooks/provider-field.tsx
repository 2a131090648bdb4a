import { Autocomplete } from '@mantine/core';
import { listGateways } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useSession } from '../../app/use-session.ts';
import type { WebhookForm } from './webhook-form.ts';
import { WORDS } from './words.ts';

/** The gateway whose reports are pushed. Only operators may list gateways; others enter a name. */
export function ProviderField({ form }: { form: WebhookForm }): ReactNode {
  const { scopes } = useSession();
  const gateways = useAnswer(['gateways'], (signal) => listGateways({ signal }), {
    enabled: scopes.includes('ops'),
  });
  const { channel } = form.values;
  const own = (gateways.data ?? []).filter((gateway) => gateway.channel === channel).map(({ name }) => name);
  const simulator = channel === 'sms' ? 'simulator' : 'chat-simulator';
  return (
    <Autocomplete
      label={WORDS.provider}
      description={WORDS.providerHint}
      data={[...new Set(['any', ...own, simulator])]}
      required
      {...form.getInputProps('provider')}
    />
  );
}
