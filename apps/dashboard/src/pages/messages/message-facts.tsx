import { Text } from '@mantine/core';
import type { Message } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Copyable } from '../../parts/copyable.tsx';
import { countryName } from '../../parts/country-name.ts';
import { isMasked } from '../../parts/is-masked.ts';
import { type Fact, KeyValueRows } from '../../parts/key-value-rows.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { typeName } from '../../parts/type-names.ts';
import { CHANNEL_NAMES } from '../../parts/channel-name.ts';
import type { MessageSearch } from './search.ts';
import { MESSAGE_WORDS } from './words.ts';

/** Facts about a message besides its timeline. Values lead to the messages that share them. */
export function MessageFacts({ message }: { message: Message }): ReactNode {
  return (
    <Section title={MESSAGE_WORDS.facts}>
      <KeyValueRows facts={factsOf(message)} />
    </Section>
  );
}

function factsOf(message: Message): Fact[] {
  const { recipient, sender, channel, type, gateway, gatewayMessageId, country, clicks } = message;
  const {
    campaignName,
    clientRef,
    errCode,
    statusDescription,
    sendAt,
    expiresAt,
    heldUntil,
    operatorCircle,
  } = message;
  const place = [country && countryName(country), operatorCircle === 'UNKNOWN' ? null : operatorCircle]
    .filter(Boolean)
    .join(', ');
  const linked = (text: string | null, search: MessageSearch): ReactNode =>
    text === null || isMasked(text) ? text : <Sharing search={search}>{text}</Sharing>;
  const time = (at: string | null): ReactNode => (at === null ? null : <Time at={at} as="full" />);
  return [
    ['Recipient', linked(recipient, { recipient })],
    ['Country and carrier', place || null],
    ['Sender', linked(sender, { sender })],
    ['Channel', `${CHANNEL_NAMES[channel]} · ${typeName(type)}`],
    ['Template', chatTemplate(message)],
    ['SMS template', smsTemplate(message)],
    ['Gateway', linked(gateway, gateway === null ? {} : { gateway })],
    [
      'Gateway’s id',
      gatewayMessageId === null ? null : <Copyable text={gatewayMessageId} label="gateway’s id" />,
    ],
    [
      'Error',
      errCode === null || errCode === '000'
        ? null
        : linked(`${errCode} ${statusDescription ?? ''}`, { errCode }),
    ],
    ['Campaign', linked(campaignName, campaignName === null ? {} : { campaignName })],
    ['Reference', linked(clientRef, clientRef === null ? {} : { clientRef })],
    ['Clicks of people', clicks === null ? null : clicks.toLocaleString()],
    ['Accepted', time(message.createdAt)],
    ['Scheduled for', time(sendAt)],
    ['Held until', time(heldUntil)],
    ['Expires', time(expiresAt)],
    ['Session open until', time(message.sessionOpenUntil)],
  ];
}

function chatTemplate({ templateName }: Message): ReactNode {
  if (!templateName) return null;
  return (
    <TextLink inherit to="/templates" search={{ name: templateName }}>
      {templateName}
    </TextLink>
  );
}

function smsTemplate({ content: { smsTemplateId } }: Message): ReactNode {
  if (smsTemplateId === null) return null;
  return (
    <TextLink inherit to="/sms-templates/$id" params={{ id: smsTemplateId }}>
      Open the template
    </TextLink>
  );
}

function Sharing({ search, children }: { search: MessageSearch; children: ReactNode }): ReactNode {
  return (
    <TextLink inherit to="/messages" search={search}>
      <Text span inherit>
        {children}
      </Text>
    </TextLink>
  );
}
