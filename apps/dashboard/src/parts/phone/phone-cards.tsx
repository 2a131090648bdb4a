import { IconPhoto } from '@tabler/icons-react';
import type { RenderedButton, RenderedChat } from '@signalbox/domain/chat/message';
import type { ReactNode } from 'react';
import { PhoneButtons } from './phone-buttons.tsx';
import { PhoneText } from './phone-text.tsx';
import classes from './phone.module.css';
import { WORDS } from './words.ts';

type Card = NonNullable<RenderedChat['cards']>[number];

interface PhoneCardsProps {
  cards: readonly Card[];
  onTap?: ((button: RenderedButton) => void) | undefined;
}

/** Cards of a carousel, side by side. */
export function PhoneCards({ cards, onTap }: PhoneCardsProps): ReactNode {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, also by keyboard
    <div className={classes['cards']} tabIndex={0} role="group" aria-label={WORDS.cards}>
      {cards.map((card, i) => (
        <article key={i} className={classes['card']} aria-label={WORDS.card(i + 1)}>
          <div className={classes['poster']}>
            <IconPhoto size={22} stroke={1.5} aria-hidden />
            <div className={classes['quiet']}>{hostOf(card.image)}</div>
          </div>
          <div className={classes['cardText']}>
            <PhoneText text={card.body} />
            {card.footer !== undefined && <div className={classes['quiet']}>{card.footer}</div>}
          </div>
          <PhoneButtons buttons={card.buttons} onTap={onTap} />
        </article>
      ))}
    </div>
  );
}

function hostOf(image: string): string {
  const host = URL.parse(image)?.host;
  return host === undefined || host === '' ? WORDS.notUploaded : WORDS.fetchedFrom(host);
}
