import { Alert, Box, Stack, Title } from '@mantine/core';
import { type ChatTemplate, deleteChatTemplate } from '@signalbox/client';
import { IconAlertTriangle, IconClock, IconSend } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../app/use-session.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { DeleteButton } from '../../parts/delete-button.tsx';
import { KeyValueRows } from '../../parts/key-value-rows.tsx';
import { LinkButton, TextLink } from '../../parts/links.tsx';
import { LoadedPage } from '../../parts/loaded-page.tsx';
import { Page } from '../../parts/page.tsx';
import { PhonePreview } from '../../parts/phone-preview.tsx';
import { ChatBubble } from '../../parts/phone/phone-message.tsx';
import { Section } from '../../parts/section.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { useChatAccounts } from '../chat-accounts/use-chat-accounts.ts';
import { draftOf, renderDraft } from './draft.ts';
import { ReviewButtons } from './review-buttons.tsx';
import { TemplateHistory } from './template-history.tsx';
import classes from './templates.module.css';
import { useTemplate } from './use-template.ts';
import { WORDS } from './words.ts';

const { detail: WORD } = WORDS;
const route = getRouteApi('/shell/templates/$id');

/** One template: what the phone shows, its facts, its decisions and versions. */
export function TemplatePage(): ReactNode {
  const { id } = route.useParams();
  const template = useTemplate(id, true);
  return (
    <LoadedPage answer={template} height={320} title={WORDS.template}>
      {(data) => <Content template={data} />}
    </LoadedPage>
  );
}

function Content({ template }: { template: ChatTemplate }): ReactNode {
  const { name, language, status, rejectionReason } = template;
  const mayWrite = useMay('templates');
  return (
    <Page
      title={name}
      status={<Status status={status} />}
      lead={`${WORDS.categories[template.category]} · ${language}`}
      actions={<Actions template={template} />}
    >
      <div className={classes['editor']}>
        <Stack gap="md" miw={0}>
          {rejectionReason !== null && (
            <Alert color="red" icon={<IconAlertTriangle />} title={WORD.rejected}>
              <Box style={{ whiteSpace: 'pre-line' }}>{rejectionReason}</Box>
              {mayWrite && <Box mt={4}>{WORD.rejectedHint}</Box>}
            </Alert>
          )}
          {status === 'Pending' && <Waiting template={template} />}
          <Facts template={template} />
          <Section title={WORD.history}>
            <TemplateHistory id={template.id} changedAt={template.updatedAt} />
          </Section>
        </Stack>
        <Box className={classes['aside']}>
          <Title order={2} mb="xs">
            {WORDS.editor.preview}
          </Title>
          <PhonePreview title={name} subtitle={WORDS.editor.previewSubtitle}>
            <ChatBubble content={renderDraft(draftOf(template))} />
          </PhonePreview>
        </Box>
      </div>
    </Page>
  );
}

/** Says what a template waits for, and who decides. */
function Waiting({ template: { registration } }: { template: ChatTemplate }): ReactNode {
  const mayReview = useMay('manage');
  const reviewer = mayReview ? undefined : WORD.waitsForOther;
  return (
    <Alert color="blue" icon={<IconClock />} role="status">
      {[WORD.waits, registration ? WORDS.review.byProvider : reviewer].filter(Boolean).join(' ')}
    </Alert>
  );
}

function Actions({ template }: { template: ChatTemplate }): ReactNode {
  const { id, name, language, status } = template;
  const mayWrite = useMay('templates');
  const maySend = useMay('send');
  return (
    <>
      <ReviewButtons template={template} />
      {mayWrite && (
        <LinkButton variant="default" to="/templates/new" search={{ from: id }}>
          {WORD.duplicate}
        </LinkButton>
      )}
      {mayWrite && (
        <DeleteButton
          area="templates"
          onDelete={() => deleteChatTemplate({ body: { id } })}
          done={WORD.deleted}
          question={WORD.deleteQuestion(name, language)}
          consequence={WORD.deleteText}
        >
          {WORD.delete}
        </DeleteButton>
      )}
      {mayWrite && status !== 'Pending' && (
        <LinkButton
          variant={status === 'Approved' ? 'default' : 'filled'}
          to="/templates/$id/edit"
          params={{ id }}
        >
          {WORD.edit}
        </LinkButton>
      )}
      {maySend && status === 'Approved' && (
        <LinkButton
          leftSection={<IconSend size={16} />}
          to="/send"
          search={{ channel: 'chatapp', template: id }}
        >
          {WORD.send}
        </LinkButton>
      )}
    </>
  );
}

function Facts({ template }: { template: ChatTemplate }): ReactNode {
  const { registration, code_expiration_minutes: minutes } = template;
  return (
    <Section title={WORD.facts}>
      <KeyValueRows
        facts={[
          [WORD.id, <Copyable key="id" text={template.id} />],
          [WORDS.columns.account, <AccountLink key="account" id={template.chatAccountId} />],
          [WORD.edits, WORDS.editsLeft(template.editsLeftToday, template.editsLeftThisMonth)],
          [WORD.categoryChange, template.allow_category_change ? WORD.yes : undefined],
          [WORD.codeMinutes, minutes === undefined ? undefined : WORD.minutes(minutes)],
          [
            WORD.registration,
            registration &&
              [registration.gateway, registration.status, registration.reason, registration.problem]
                .filter(Boolean)
                .join(' · '),
          ],
          [WORD.created, <Time key="created" at={template.createdAt} as="full" />],
          [WORD.changed, <Time key="changed" at={template.updatedAt} as="full" />],
        ]}
      />
    </Section>
  );
}

/** The chat account of a template, by its name as soon as that is known. */
function AccountLink({ id }: { id: number }): ReactNode {
  const { rows } = useChatAccounts();
  const name = rows.find((account) => account.id === id)?.name ?? String(id);
  return (
    <TextLink inherit to="/chat-accounts/$id" params={{ id: String(id) }}>
      {name}
    </TextLink>
  );
}
