import { Checkbox, NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { CATEGORIES, MAX_CODE_MINUTES } from '@signalbox/domain/templates/template';
import type { ReactNode } from 'react';
import { inputOf } from '../../parts/input-of.ts';
import { onText } from '../../parts/on-text.ts';
import { Section } from '../../parts/section.tsx';
import { useChatAccounts } from '../chat-accounts/use-chat-accounts.ts';
import { newButton } from './draft.ts';
import type { SectionProps } from './fields.ts';
import classes from './templates.module.css';
import { WORDS } from './words.ts';

const { editor: WORD } = WORDS;
const CATEGORY_OPTIONS = CATEGORIES.map((value) => ({ value, label: WORDS.categories[value] }));

/** Name, languages, chat account and category. Name, language and account of a stored template do not change. */
export function BasicsSection({ draft, set, about, isEdit }: SectionProps & { isEdit: boolean }): ReactNode {
  return (
    <Section title={WORD.basics}>
      {!isEdit && <IdentityFields draft={draft} set={set} about={about} />}
      <Select
        label={WORD.category}
        description={WORDS.categoryHints[draft.category]}
        data={CATEGORY_OPTIONS}
        value={draft.category}
        allowDeselect={false}
        onChange={(value) => value && set(categoryChange(draft, value as typeof draft.category))}
        error={about('category', draft.category)}
      />
      {draft.category === 'AUTHENTICATION' ? (
        <NumberInput
          label={WORD.codeMinutes}
          description={WORD.codeMinutesHint}
          min={1}
          max={MAX_CODE_MINUTES}
          allowDecimal={false}
          value={draft.codeMinutes ?? ''}
          onChange={(value) => set({ codeMinutes: typeof value === 'number' ? value : null })}
          error={about('code_expiration_minutes', String(draft.codeMinutes ?? ''))}
        />
      ) : (
        <Checkbox
          label={WORD.allowChange}
          checked={draft.allowCategoryChange}
          onChange={(event) => set({ allowCategoryChange: event.currentTarget.checked })}
        />
      )}
    </Section>
  );
}

function IdentityFields(fields: SectionProps): ReactNode {
  const { draft, set, about } = fields;
  return (
    <>
      <TextInput
        label={WORD.name}
        description={WORD.nameHint}
        required
        maxLength={512}
        value={draft.name}
        onChange={onText((value) => set({ name: nameOf(value) }))}
        error={about('name', draft.name)}
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} className={classes['pair']!}>
        <TextInput label={WORD.language} description={WORD.languageHint} {...inputOf(fields, 'language')} />
        <AccountField {...fields} />
      </SimpleGrid>
    </>
  );
}

/** The chat accounts to choose from. */
function AccountField({ draft, set, about }: SectionProps): ReactNode {
  const { rows } = useChatAccounts();
  return (
    <Select
      label={WORD.account}
      required
      error={about('chatAccountId', draft.chatAccountId)}
      data={rows.map(({ id, name }) => ({ value: String(id), label: `${name} (${id})` }))}
      value={draft.chatAccountId === '' ? null : draft.chatAccountId}
      onChange={(value) => set({ chatAccountId: value ?? '' })}
    />
  );
}

/** Spells a name as the api takes it, while it is typed. */
function nameOf(text: string): string {
  return text.toLowerCase().replace(/[\s-]+/g, '_');
}

/** Templates of codes have an OTP button; other templates have none. */
function categoryChange(
  { category, buttons }: SectionProps['draft'],
  next: SectionProps['draft']['category'],
) {
  const wasCode = category === 'AUTHENTICATION';
  if (wasCode === (next === 'AUTHENTICATION')) return { category: next };
  if (wasCode) return { category: next, buttons: [], codeMinutes: null };
  const codeButtons =
    buttons.length > 0 && buttons.every(({ type }) => type === 'OTP') ? buttons : [newButton('OTP')];
  return {
    category: next,
    buttons: codeButtons,
    cards: [],
    headerFormat: 'NONE' as const,
    allowCategoryChange: false,
  };
}
