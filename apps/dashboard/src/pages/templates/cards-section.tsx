import { ActionIcon, Button, Group, Stack, TextInput, Textarea } from '@mantine/core';
import { CARD_BUTTON_TYPES, MAX_CARDS, MAX_CARD_BUTTONS } from '@signalbox/domain/templates/template';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { inputOf } from '../../parts/input-of.ts';
import { Section } from '../../parts/section.tsx';
import { ButtonsFields } from './buttons-fields.tsx';
import { type DraftCard, newButton, newCard } from './draft.ts';
import type { SectionProps } from './fields.ts';
import { pathOf } from './use-check.ts';
import { WORDS } from './words.ts';

const { editor: WORD } = WORDS;

/** The cards of a carousel. */
export function CardsSection({ draft, set, about }: SectionProps): ReactNode {
  const { cards } = draft;
  const path = `${pathOf(draft, 'CAROUSEL')}.cards`;
  const change = (i: number, given: Partial<DraftCard>): void =>
    set({ cards: cards.map((card, j) => (i === j ? { ...card, ...given } : card)) });
  return (
    <Section title={WORD.cards}>
      {cards.map((card, i) => (
        <CardFields
          key={card.key}
          card={card}
          number={i + 1}
          about={(field, value) => about(`${path}[${i}]${field}`, value)}
          onChange={(given) => change(i, given)}
          onRemove={() => set({ cards: cards.filter((_, j) => j !== i) })}
        />
      ))}
      {cards.length < MAX_CARDS && (
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => set({ cards: [...cards, newCard({ buttons: [newButton('URL')] })] })}
        >
          {WORD.addCard}
        </Button>
      )}
    </Section>
  );
}

interface CardFieldsProps {
  card: DraftCard;
  number: number;
  about: SectionProps['about'];
  onChange: (given: Partial<DraftCard>) => void;
  onRemove: () => void;
}

function CardFields({ card, number, about, onChange, onRemove }: CardFieldsProps): ReactNode {
  const fields = { draft: card, set: onChange, about };
  return (
    <Stack gap={6} role="group" aria-label={WORD.card(number)} p="sm" bd="1px solid var(--sb-line)" bdrs="md">
      <Group justify="space-between" fz="sm" fw={600}>
        {WORD.card(number)}
        <ActionIcon variant="subtle" color="red" aria-label={WORD.removeCard(number)} onClick={onRemove}>
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
      <TextInput
        label={WORD.cardImage}
        placeholder="https://example.com/hat.jpg"
        {...inputOf(fields, 'image', '.header.image_url')}
      />
      <Textarea label={WORD.cardBody} autosize minRows={2} {...inputOf(fields, 'body', '.body')} />
      <TextInput label={WORD.cardFooter} {...inputOf(fields, 'footer', '.footer')} />
      <ButtonsFields
        buttons={card.buttons}
        onChange={(buttons) => onChange({ buttons })}
        path=".buttons"
        types={CARD_BUTTON_TYPES}
        max={MAX_CARD_BUTTONS}
        about={about}
      />
    </Stack>
  );
}
