import { SegmentedControl } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../app/use-session.ts';
import { Page } from '../../parts/page.tsx';
import { ChatComposer } from './chat-composer.tsx';
import { SmsComposer } from './sms-composer.tsx';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/send');

/** Composes an SMS or a chat-app message. */
export function SendPage(): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate();
  const maySend = useMay('send');
  const { channel = 'sms' } = search;
  const choose = (chosen: string) =>
    void navigate({ to: '/send', search: chosen === 'chatapp' ? { channel: 'chatapp' } : {} });
  return (
    <Page
      title={WORDS.title}
      lead={WORDS.lead}
      actions={
        maySend && (
          <SegmentedControl
            aria-label={WORDS.kind}
            value={channel}
            onChange={choose}
            data={[
              { value: 'sms', label: WORDS.sms },
              { value: 'chatapp', label: WORDS.chatapp },
            ]}
          />
        )
      }
      scope="send"
    >
      {channel === 'sms' ? (
        <SmsComposer to={search.to} templateId={search.template} />
      ) : (
        <ChatComposer to={search.to} templateId={search.template} />
      )}
    </Page>
  );
}
