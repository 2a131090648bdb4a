import { Skeleton } from '@mantine/core';
import { type SmsTemplate, deleteSmsTemplate, getSmsTemplate } from '@signalbox/client';
import { IconSend } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { AsCurl } from '../../parts/as-curl.tsx';
import { DeleteButton } from '../../parts/delete-button.tsx';
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
      {...(isNew && { scope: 'manage' as const })}
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
  return (
    <>
      <AsCurl call={() => ({ path: `/v1/sms/templates/${id}` })} />
      {mayManage && (
        <DeleteButton
          area="sms-templates"
          onDelete={() => deleteSmsTemplate({ path: { id } })}
          done={WORDS.deleted}
          question={WORDS.deleteQuestion}
          consequence={WORDS.deleteConsequence}
        >
          {WORDS.delete}
        </DeleteButton>
      )}
      {maySend && (
        <LinkButton leftSection={<IconSend size={16} />} to="/send" search={{ template: id }}>
          {WORDS.send}
        </LinkButton>
      )}
    </>
  );
}
