import { Alert, Box, Button, Group, Stack, Text } from '@mantine/core';
import { MAX_BUTTONS } from '@signalbox/domain/templates/template';
import { type ReactNode, useDeferredValue, useState } from 'react';
import type { ApiFailure } from '../../api/failure.ts';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Form } from '../../parts/form.tsx';
import { PhonePreview } from '../../parts/phone-preview.tsx';
import { ChatBubble } from '../../parts/phone/phone-message.tsx';
import { Section } from '../../parts/section.tsx';
import { SubmitButton } from '../../parts/submit-button.tsx';
import { BasicsSection } from './basics-section.tsx';
import { ButtonsFields } from './buttons-fields.tsx';
import { CardsSection } from './cards-section.tsx';
import { CheckPanel } from './check-panel.tsx';
import { BodySection, FooterSection, HeaderSection } from './content-sections.tsx';
import { type Draft, renderDraft } from './draft.ts';
import type { SectionProps } from './fields.ts';
import classes from './templates.module.css';
import { type Refusal, brokenOf, pathOf, useCheck } from './use-check.ts';
import { WORDS } from './words.ts';

const { editor: WORD } = WORDS;
const BUTTON_TYPES = ['URL', 'PHONE_NUMBER', 'CATALOG', 'CATALOG_ITEM', 'FLOW', 'ORDER_DETAILS'] as const;

interface TemplateEditorProps {
  start: Draft;
  /** The template that is edited; undefined for a new one. */
  id?: string;
  note?: ReactNode;
  onSave: (draft: Draft) => Promise<unknown>;
  onCancel: () => void;
}

/** The form of a template, with its checks and its preview. */
export function TemplateEditor({ start, id, note, onSave, onCancel }: TemplateEditorProps): ReactNode {
  const [first] = useState(start);
  const [draft, setDraft] = useState(first);
  const [refusal, setRefusal] = useState<Refusal>();
  const check = useCheck(draft, id, refusal);
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }));
  const save = (): Promise<unknown> => {
    setRefusal(undefined);
    return onSave(draft).catch((failure: ApiFailure) => setRefusal({ draft, failure }));
  };
  const isTouched = draft !== first || refusal !== undefined;
  const isAboutField = refusal !== undefined && brokenOf(refusal.failure, draft).length > 0;
  const isCorrected = refusal?.draft !== draft && check.broken.length === 0;
  return (
    <Form className={classes['editor']} isChanged={draft !== first} onSubmit={save}>
      <Stack gap="md" miw={0}>
        {note}
        <Sections draft={draft} set={set} about={check.about} isEdit={id !== undefined} />
        {isAboutField && !isCorrected && (
          <Alert color="red" role="alert">
            {WORD.refused}
          </Alert>
        )}
        <FailureAlert failure={isAboutField ? null : refusal?.failure} />
        <Group gap="xs">
          <SubmitButton>{WORD.save}</SubmitButton>
          <Button variant="default" onClick={onCancel}>
            {WORD.cancel}
          </Button>
        </Group>
      </Stack>
      <Box className={classes['aside']}>
        {(check.broken.length === 0 || isTouched) && <CheckPanel check={check} category={draft.category} />}
        <Preview draft={draft} />
      </Box>
    </Form>
  );
}

function Sections({ draft, set, about, isEdit }: SectionProps & { isEdit: boolean }): ReactNode {
  const props = { draft, set, about };
  const isCode = draft.category === 'AUTHENTICATION';
  const buttonTypes = isCode ? (['OTP'] as const) : BUTTON_TYPES;
  return (
    <>
      <BasicsSection {...props} isEdit={isEdit} />
      <HeaderSection {...props} />
      <BodySection {...props} />
      <FooterSection {...props} />
      <Section title={WORD.buttons}>
        <ButtonsFields
          buttons={draft.buttons}
          onChange={(buttons) => set({ buttons })}
          path={`${pathOf(draft, 'BUTTONS')}.buttons`}
          types={buttonTypes}
          max={isCode ? 1 : MAX_BUTTONS}
          about={about}
        />
      </Section>
      {!isCode && <CardsSection {...props} />}
    </>
  );
}

/** Typing stays quick while the preview follows. */
function Preview({ draft }: { draft: Draft }): ReactNode {
  const content = renderDraft(useDeferredValue(draft));
  const isEmpty = !content.header && !content.body && !content.footer && !content.buttons && !content.cards;
  return (
    <PhonePreview title={WORD.preview} subtitle={WORD.previewSubtitle}>
      {isEmpty ? (
        <Text size="sm" c="dimmed" ta="center" mt="xl">
          {WORD.previewEmpty}
        </Text>
      ) : (
        <ChatBubble content={content} />
      )}
    </PhonePreview>
  );
}
