import { Stack, Table } from '@mantine/core';
import { type Verification, getVerification } from '@signalbox/client';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { counted } from '../../parts/counted.ts';
import { countryName } from '../../parts/country-name.ts';
import classes from '../../parts/folded-rows.module.css';
import { KeyValueRows } from '../../parts/key-value-rows.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/verification/$verifyId');

/** One verification: its status, attempts and messages. Its code is never shown. */
export function VerificationDetailPage(): ReactNode {
  const { verifyId } = route.useParams();
  const found = useAnswer(
    ['verification', 'one', verifyId],
    (signal) => getVerification({ path: { verifyId }, signal }),
    { refetchInterval: 3_000 },
  );
  return (
    <Page title="One verification">
      <Loaded answer={found} height={240}>
        {(data) => <Content found={data} />}
      </Loaded>
    </Page>
  );
}

function Content({ found }: { found: Verification }): ReactNode {
  const mayManage = useMay('manage') || null;
  return (
    <Stack>
      <Section title="Details">
        <KeyValueRows
          facts={[
            [WORDS.status, <Status key="status" status={found.status} />],
            ['Id', <Copyable key="id" text={found.verifyId} />],
            ['Number', found.to],
            ['Country', found.country && countryName(found.country)],
            ['Wrong attempts', `${found.attempts}; ${found.attemptsRemaining} left`],
            ['Sent', counted(found.sends, 'time')],
            ['Test number', found.isTest ? 'Yes' : 'No'],
            [
              'Configuration',
              mayManage && (
                <TextLink
                  key="config"
                  to="/verification/configs/$configId"
                  params={{ configId: found.configId }}
                >
                  {WORDS.openConfig}
                </TextLink>
              ),
            ],
            ['Requested', <Time key="created" at={found.createdAt} as="full" />],
            ['Expires', <Time key="expires" at={found.expiresAt} as="full" />],
            [WORDS.verified, found.verifiedAt && <Time key="verified" at={found.verifiedAt} as="full" />],
          ]}
        />
      </Section>
      {found.messages.length > 0 && <Messages messages={found.messages} />}
    </Stack>
  );
}

function Messages({ messages }: Pick<Verification, 'messages'>): ReactNode {
  return (
    <Section title="Messages">
      <div className={classes['frame']}>
        <Table className={classes['table']!}>
          <Table.Tbody>
            {messages.map(({ messageId, channel, status, errCode }) => (
              <Table.Tr key={messageId}>
                <Table.Td className={classes['name']!}>
                  <TextLink ff="monospace" size="sm" to="/messages/$messageId" params={{ messageId }}>
                    {messageId}
                  </TextLink>
                </Table.Td>
                <Table.Td>{channel === 'sms' ? 'SMS' : 'Chat app'}</Table.Td>
                <Table.Td>
                  <Status status={status} />
                </Table.Td>
                <Table.Td>{errCode !== null && errCode !== '000' ? errCode : ''}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Section>
  );
}
