import { Box, Card, Group, NavLink, Skeleton, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { type Phone as RecentPhone, listPhones } from '@signalbox/client';
import { IconDeviceMobile } from '@tabler/icons-react';
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Form } from '../../parts/form.tsx';
import { isMasked } from '../../parts/is-masked.ts';
import { LinkButton } from '../../parts/links.tsx';
import { onText } from '../../parts/on-text.ts';
import { Page } from '../../parts/page.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { Time } from '../../parts/time.tsx';
import { CHANNEL_NAMES } from '../../parts/channel-name.ts';
import { NewThread } from './new-thread.tsx';
import { PhoneScreen } from './phone-screen.tsx';
import classes from './phone.module.css';
import { parseThread } from './thread.ts';
import { usePhone } from './use-phone.ts';
import { SCRIPTS, WORDS } from './words.ts';

const route = getRouteApi('/shell/phone');

/** A phone of the simulator in the browser. */
export function PhonePage(): ReactNode {
  const { number } = route.useSearch();
  const mayWrite = useMay('send');
  return (
    <Page title={WORDS.title} lead={mayWrite ? WORDS.lead : WORDS.readLead}>
      <div className={classes['layout']}>
        <Stack gap="md" miw={0}>
          <NumberField key={number ?? ''} number={number} />
          <RecentPhones />
        </Stack>
        <Box miw={0} className={classes['phone']}>
          {number === undefined || isMasked(number) ? (
            <EmptyState title={WORDS.choose} text={WORDS.chooseText} icon={IconDeviceMobile} />
          ) : (
            <OpenPhone key={number} number={number} />
          )}
        </Box>
        <Scripts number={number} />
      </div>
    </Page>
  );
}

function NumberField({ number = '' }: { number: string | undefined }): ReactNode {
  const [text, setText] = useState(number);
  const [isWrong, setWrong] = useState(false);
  const navigate = useNavigate();
  const open = (): void => {
    const digits = text.replace(/\D/g, '');
    const isGood = /^[1-9]\d{6,14}$/.test(digits);
    setWrong(!isGood);
    if (isGood) void navigate({ to: '/phone', search: { number: digits } });
  };
  return (
    <Form onSubmit={open}>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
          label={WORDS.number}
          description={WORDS.numberHint}
          inputMode="tel"
          placeholder="919800000100"
          value={text}
          onChange={onText(setText)}
          error={isWrong && WORDS.badNumber}
        />
        <SubmitButton>{WORDS.open}</SubmitButton>
      </Group>
    </Form>
  );
}

function RecentPhones(): ReactNode {
  const phones = useAnswer(['phones'], (signal) => listPhones({ signal }), { live: ['phone'] });
  return (
    <Card component="section" aria-label={WORDS.recent} padding="sm">
      <Title order={2} px="xs" mb={4}>
        {WORDS.recent}
      </Title>
      {phones.isPending && <Skeleton height={60} aria-label="Loading" />}
      {phones.error && !phones.data && (
        <ErrorState failure={phones.error} onRetry={() => void phones.refetch()} />
      )}
      {phones.data?.length === 0 && (
        <Text size="sm" c="dimmed" px="xs">
          {WORDS.noRecent}
        </Text>
      )}
      {phones.data?.some(({ msisdn }) => isMasked(msisdn)) && (
        <Text size="sm" c="dimmed" px="xs">
          {WORDS.masked}
        </Text>
      )}
      <div className={classes['recent']}>
        {phones.data?.map((phone) => (
          <Recent key={phone.msisdn} phone={phone} />
        ))}
      </div>
    </Card>
  );
}

function Recent({ phone: { msisdn, lastReceivedAt } }: { phone: RecentPhone }): ReactNode {
  const { number } = route.useSearch();
  return (
    <NavLink
      active={number === msisdn}
      label={msisdn}
      rightSection={
        <Text size="xs" c="dimmed">
          <Time at={lastReceivedAt} />
        </Text>
      }
      renderRoot={(props) =>
        isMasked(msisdn) ? (
          <Box {...props} style={{ cursor: 'default' }} />
        ) : (
          <Link {...props} to="/phone" search={{ number: msisdn }} />
        )
      }
    />
  );
}

function OpenPhone({ number }: { number: string }): ReactNode {
  const { thread: chosen } = route.useSearch();
  const mayWrite = useMay('send');
  const navigate = useNavigate();
  const { threads, isLoading, unread, reload } = usePhone(number);
  const show = (key: string): void =>
    void navigate({ to: '/phone', search: { number, thread: key }, replace: true });
  if (isLoading && !unread) return <Skeleton height={480} maw={340} mx="auto" aria-label="Loading" />;
  if (unread && threads.length === 0) return <ErrorState failure={unread} onRetry={reload} />;
  const named = parseThread(chosen);
  const known = threads.find(({ key }) => key === named?.key);
  const fresh = named && !known ? { ...named, lines: [] } : undefined;
  const thread = known ?? fresh ?? threads[0];
  return (
    <Stack gap="md">
      {thread ? (
        <PhoneScreen
          number={number}
          thread={thread}
          threads={fresh ? [fresh, ...threads] : threads}
          onThread={show}
        />
      ) : (
        <EmptyState title={number} text={WORDS.empty} icon={IconDeviceMobile}>
          {mayWrite && (
            <LinkButton to="/send" search={{ to: number }} variant="default">
              {WORDS.sendTo}
            </LinkButton>
          )}
        </EmptyState>
      )}
      {mayWrite && <NewThread onStart={show} />}
    </Stack>
  );
}

function Scripts({ number = '' }: { number: string | undefined }): ReactNode {
  const digits = number.slice(-4);
  const own = SCRIPTS.some(([script]) => script === digits) ? digits : WORDS.anyOther;
  return (
    <Card component="section" aria-label={WORDS.scripts} padding="sm">
      <Title order={2} px="xs" mb={4}>
        {WORDS.scripts}
      </Title>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{WORDS.digits}</Table.Th>
            <Table.Th>{CHANNEL_NAMES.sms}</Table.Th>
            <Table.Th>{CHANNEL_NAMES.chatapp}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {SCRIPTS.map(([script, sms, chatapp]) => (
            <Table.Tr
              key={script}
              {...(number !== '' && own === script && { fw: 600, 'aria-current': 'true' as const })}
            >
              <Table.Td>{script}</Table.Td>
              <Table.Td>{sms}</Table.Td>
              <Table.Td>{chatapp}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
