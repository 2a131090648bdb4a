import { Skeleton } from '@mantine/core';
import { type SmsTemplate, deleteSmsTemplate, getSmsTemplate } from '@signalbox/client';
import { IconSend } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { AsCurl } from '../../parts/as-curl.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { LinkButton } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { TemplateForm } from './template-form.tsx';
import { WORDS } from './words.ts';

const route = getRouteApi('/shell/sms-templates/$id');

/** Creates an SMS template, or changes one. */
export function SmsTemplatePage(): ReactNode {
  const { id } = route.useParams();
  const isNew = id === 'new';
  const { data, error, refetch } = useAnswer(
    ['sms-templates', 'one', id],
    (signal) => getSmsTemplate({ path: { id }, signal }),
    { enabled: !isNew },
  );
  return (
    <Page
      title={isNew ? WORDS.add : (data?.name ?? WORDS.title)}
      actions={data && <Actions template={data} />}
    >
      {error && !data && <ErrorState failure={error} onRetry={() => void refetch()} />}
      {!isNew && !data && !error && <Skeleton height={320} aria-label="Loading" />}
      {(isNew || data) && <TemplateForm key={data?.id ?? 'new'} template={data} />}
    </Page>
  );
}

function Actions({ template: { id } }: { template: SmsTemplate }): ReactNode {
  const mayManage = useMay('manage');
  const maySend = useMay('send');
  const navigate = useNavigate();
  const remove = useAct(() => deleteSmsTemplate({ path: { id } }), {
    changes: ['sms-templates'],
    done: WORDS.deleted,
  });
  const confirm = async () => {
    await remove.mutateAsync();
    await navigate({ to: '/sms-templates' });
  };
  return (
    <>
      <AsCurl call={{ path: `/v1/sms/templates/${id}` }} />
      {mayManage && (
        <ConfirmButton
          question={WORDS.deleteQuestion}
          consequence={WORDS.deleteConsequence}
          onConfirm={confirm}
        >
          {WORDS.delete}
        </ConfirmButton>
      )}
      {maySend && (
        <LinkButton leftSection={<IconSend size={16} />} to="/send" search={{ template: id }}>
          {WORDS.send}
        </LinkButton>
      )}
    </>
  );
}
