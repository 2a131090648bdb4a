import { type OptOut, deleteOptOut, listOptOuts } from '@signalbox/client';
import { guessMsisdn, parseMsisdn } from '@signalbox/domain/msisdn';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useList } from '../../api/use-list.ts';
import { useMay } from '../../app/use-session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import type { Column } from '../../parts/data-list-columns.ts';
import { DataList } from '../../parts/data-list.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FindForm } from '../../parts/find-form.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { AddOptOuts } from './add-opt-outs.tsx';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/opt-outs');

const COLUMNS: readonly Column<OptOut>[] = [
  {
    id: 'recipient',
    label: WORDS.recipient,
    width: 'minmax(116px, 1fr)',
    cell: ({ recipient }) => recipient,
  },
  {
    id: 'sender',
    label: WORDS.sender,
    width: 'minmax(104px, 1fr)',
    cell: ({ sender }) => sender ?? WORDS.all,
  },
  {
    id: 'source',
    label: WORDS.source,
    width: 'minmax(80px, 1fr)',
    cell: ({ source }) => WORDS.sources[source] ?? source,
    optional: 'shown',
  },
  {
    id: 'reason',
    label: WORDS.reason,
    width: 'minmax(100px, 1.5fr)',
    cell: ({ reason }) => reason,
    optional: 'shown',
  },
  {
    id: 'since',
    label: WORDS.since,
    width: 'minmax(104px, 1fr)',
    cell: ({ createdAt }) => <Time at={createdAt} as="short" />,
  },
  {
    id: 'remove',
    label: 'Actions',
    isAction: true,
    width: '84px',
    cell: (optOut) => <Remove optOut={optOut} />,
  },
];

/** The opt-outs of the account. */
export function OptOutsPage(): ReactNode {
  const { recipient } = route.useSearch();
  const navigate = route.useNavigate();
  const mayManage = useMay('manage');
  const list = useList(['opt-outs', recipient], (cursor, signal) =>
    listOptOuts({
      query: {
        limit: 200,
        ...(recipient !== undefined && { recipient }),
        ...(cursor !== undefined && { cursor }),
      },
      signal,
    }),
  );
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={mayManage && <AddOptOuts />}>
      <DataList
        label={WORDS.title}
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        onClear={recipient === undefined ? undefined : () => void navigate({ search: {} })}
        filters={<Find key={recipient} recipient={recipient} />}
        empty={
          recipient === undefined ? (
            <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} />
          ) : (
            <EmptyState title={WORDS.noMatchTitle} />
          )
        }
      />
    </Page>
  );
}

function Find({ recipient }: { recipient: string | undefined }): ReactNode {
  const [typed, setTyped] = useState(recipient ?? '');
  const [problem, setProblem] = useState<string>();
  const navigate = useNavigate();
  const find = () => {
    const text = typed.trim();
    const digits = parseMsisdn(text) ?? guessMsisdn(text);
    if (text !== '' && digits === undefined) return setProblem('Enter a number with its country code.');
    setProblem(undefined);
    void navigate({ to: '/opt-outs', search: digits === undefined ? {} : { recipient: digits } });
  };
  return <FindForm label={WORDS.find} value={typed} problem={problem} onChange={setTyped} onFind={find} />;
}

function Remove({ optOut: { id, recipient, sender } }: { optOut: OptOut }): ReactNode {
  const mayManage = useMay('manage');
  const remove = useAct(() => deleteOptOut({ path: { id } }), { changes: ['opt-outs'], done: WORDS.removed });
  if (!mayManage) return null;
  return (
    <ConfirmButton
      size="compact-xs"
      question={WORDS.removeQuestion}
      consequence={`${recipient} gets messages of ${sender ?? 'all senders'} again.`}
      onConfirm={() => remove.mutateAsync()}
    >
      {WORDS.remove}
    </ConfirmButton>
  );
}
