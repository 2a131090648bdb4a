import { Alert, Skeleton } from '@mantine/core';
import { type ChatTemplate, createChatTemplate, editChatTemplate } from '@signalbox/client';
import { IconInfoCircle } from '@tabler/icons-react';
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { LoadedPage } from '../../parts/loaded-page.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useNextPage } from '../../parts/use-next-page.ts';
import { useChatAccounts } from '../chat-accounts/use-chat-accounts.ts';
import { type Draft, creationOf, draftOf, editOf } from './draft.ts';
import { KINDS, findKind } from './kinds.ts';
import { TemplateEditor } from './template-editor.tsx';
import classes from './templates.module.css';
import { useTemplate } from './use-template.ts';
import { WORDS } from './words.ts';

const { editor: WORD } = WORDS;

const newRoute = getRouteApi('/shell/templates/new');
const editRoute = getRouteApi('/shell/templates/$id/edit');

/** Creates a template: its kind first, then the form. */
export function NewTemplatePage(): ReactNode {
  const { kind, from } = newRoute.useSearch();
  if (from !== undefined)
    return (
      <Page title={WORD.createTitle} scope="templates">
        <CopiedTemplate id={from} />
      </Page>
    );
  const found = findKind(kind);
  if (!found)
    return (
      <Page title={WORDS.chooseKind} lead={WORDS.chooseKindLead} scope="templates">
        <KindChoice />
      </Page>
    );
  return (
    <Page title={WORD.createTitle} lead={found.label} scope="templates">
      <NewTemplate key={found.id} start={found.start()} />
    </Page>
  );
}

function KindChoice(): ReactNode {
  return (
    <div className={classes['kinds']}>
      {KINDS.map(({ id, label, text }) => (
        <Link key={id} to="/templates/new" search={{ kind: id }} className={classes['kind']}>
          <strong>{label}</strong>
          <p>{text}</p>
        </Link>
      ))}
    </div>
  );
}

/** Starts a new template from a stored one, under another name. */
function CopiedTemplate({ id }: { id: string }): ReactNode {
  const template = useTemplate(id);
  return (
    <Loaded answer={template} height={320}>
      {(data) => <NewTemplate start={{ ...draftOf(data), name: `${data.name}_2` }} />}
    </Loaded>
  );
}

function NewTemplate({ start }: { start: Draft }): ReactNode {
  const navigate = useNavigate();
  const openNext = useNextPage();
  const accounts = useChatAccounts();
  const create = useAct((draft: Draft, headers) => createChatTemplate({ body: creationOf(draft), headers }), {
    changes: ['templates'],
    done: WORD.saved,
    showsFailure: false,
  });
  if (accounts.isLoading) return <Skeleton height={320} aria-label="Loading" />;
  if (accounts.unread) return <ErrorState failure={accounts.unread} onRetry={accounts.reload} />;
  if (accounts.rows.length === 0)
    return <EmptyState title={WORDS.noAccountTitle} text={WORDS.noAccountText} />;
  const only = String(accounts.rows[0]?.id ?? '');
  const save = async (draft: Draft): Promise<void> => {
    const { id } = await create.mutateAsync(draft);
    await openNext({ to: '/templates/$id', params: { id: id! } });
  };
  return (
    <TemplateEditor
      start={{ ...start, chatAccountId: start.chatAccountId || only }}
      onSave={save}
      onCancel={() => void navigate({ to: '/templates' })}
    />
  );
}

/** Edits a stored template. */
export function EditTemplatePage(): ReactNode {
  const { id } = editRoute.useParams();
  const template = useTemplate(id);
  return (
    <LoadedPage answer={template} height={320} title={WORDS.template}>
      {(data) => <EditTemplate key={data.id} template={data} />}
    </LoadedPage>
  );
}

function EditTemplate({ template }: { template: ChatTemplate }): ReactNode {
  const { id, name, language, status, editsLeftToday, editsLeftThisMonth } = template;
  const navigate = useNavigate();
  const openNext = useNextPage();
  const toTemplate = () => navigate({ to: '/templates/$id', params: { id } });
  const edit = useAct((draft: Draft) => editChatTemplate({ body: editOf(id, draft) }), {
    changes: ['templates', 'template'],
    done: WORD.saved,
    showsFailure: false,
  });
  return (
    <Page
      title={WORD.editTitle(name)}
      lead={language}
      parent={{ label: name, to: '/templates/$id', params: { id } }}
      scope="templates"
    >
      <TemplateEditor
        id={id}
        start={draftOf(template)}
        note={
          <Alert icon={<IconInfoCircle />} color={editsLeftToday === 0 ? 'orange' : 'blue'}>
            {WORD.budget(editsLeftToday, editsLeftThisMonth)} {status === 'Approved' && WORD.keepsApproved}
          </Alert>
        }
        onSave={async (draft) => {
          await edit.mutateAsync(draft);
          await openNext({ to: '/templates/$id', params: { id } });
        }}
        onCancel={() => void toTemplate()}
      />
    </Page>
  );
}
