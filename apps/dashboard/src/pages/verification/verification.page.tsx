import { Group, Stack, TextInput, Title } from '@mantine/core';
import { type VerifyConfig, listVerifyConfigs } from '@signalbox/client';
import { IconPlus, IconShieldCheck } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type List, useList } from '../../api/use-list.ts';
import { useMay, useSession } from '../../app/use-session.ts';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { duration } from '../../parts/duration.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Form } from '../../parts/form.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { onText } from '../../parts/on-text.ts';
import { Page } from '../../parts/page.tsx';
import { Status } from '../../parts/status.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { Time } from '../../parts/time.tsx';
import { Conversion } from './conversion.tsx';
import { Guard } from './guard.tsx';
import { Policy } from './policy.tsx';
import { FLOWS, type Flow, WORDS } from './words.ts';

/** One-time passwords of the account: conversion, configurations, limits and the fraud guard. */
export function VerificationPage(): ReactNode {
  const { scopes } = useSession();
  const mayManage = useMay('manage');
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={mayManage && <AddButton />}>
      <Stack>
        <LookUp />
        <Conversion />
        {scopes.includes('manage') && (
          <>
            <Configs />
            <Guard />
            <Policy />
          </>
        )}
      </Stack>
    </Page>
  );
}

function AddButton(): ReactNode {
  return (
    <LinkButton leftSection={<IconPlus size={16} />} to="/verification/configs/add">
      {WORDS.add}
    </LinkButton>
  );
}

function LookUp(): ReactNode {
  const [id, setId] = useState('');
  const navigate = useNavigate();
  const find = () => {
    const verifyId = id.trim();
    if (verifyId !== '') return navigate({ to: '/verification/$verifyId', params: { verifyId } });
  };
  return (
    <Form onSubmit={find}>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          aria-label={WORDS.lookUp}
          placeholder={WORDS.lookUpPlaceholder}
          flex="0 1 330px"
          value={id}
          onChange={onText(setId)}
        />
        <SubmitButton variant="default" flex="none">
          {WORDS.find}
        </SubmitButton>
      </Group>
    </Form>
  );
}

const COLUMNS: readonly Column<VerifyConfig>[] = [
  { id: 'name', label: WORDS.name, cell: ({ name }) => <b>{name}</b>, width: 'minmax(120px, 1fr)' },
  {
    id: 'state',
    label: WORDS.state,
    cell: ({ enabled }) => <Status status={enabled ? 'enabled' : 'disabled'} />,
    width: '100px',
  },
  {
    id: 'flow',
    label: WORDS.flow,
    cell: ({ flow }) => FLOWS[flow.map(({ channel }) => channel).join(',') as Flow],
  },
  { id: 'sender', label: WORDS.sender, cell: ({ sender, template }) => sender ?? template?.from },
  {
    id: 'code',
    label: WORDS.code,
    cell: ({ codeLength, alphabet }) =>
      `${codeLength} ${alphabet === 'numeric' ? 'digits' : 'letters and digits'}`,
  },
  { id: 'life', label: WORDS.life, cell: ({ ttlSeconds }) => duration(ttlSeconds), width: '90px' },
  {
    id: 'changed',
    label: WORDS.changed,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    optional: 'shown',
    width: '110px',
  },
];

function Configs(): ReactNode {
  const list = useList(['verification', 'configs'], (cursor, signal) =>
    listVerifyConfigs({ query: cursor ? { cursor } : {}, signal }),
  );
  return (
    <section aria-label={WORDS.configs}>
      <Title order={2} mb="sm">
        {WORDS.configs}
      </Title>
      <ConfigList list={list} />
    </section>
  );
}

function ConfigList({ list }: { list: List<VerifyConfig> }): ReactNode {
  const mayManage = useMay('manage');
  return (
    <DataList
      label={WORDS.configs}
      list={list}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      rowLink={({ id }) => ({ to: '/verification/configs/$configId', params: { configId: id } })}
      empty={
        <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} icon={IconShieldCheck}>
          {mayManage && <AddButton />}
        </EmptyState>
      }
    />
  );
}
