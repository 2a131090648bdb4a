import type { RenderedButton, RenderedChat } from '@signalbox/domain/chat/message';
import type { ReactNode } from 'react';
import { PhoneButtons } from './phone-buttons.tsx';
import { PhoneCards } from './phone-cards.tsx';
import { type ListRow, PhoneList } from './phone-list.tsx';
import { PhoneMedia } from './phone-media.tsx';
import { PhoneText } from './phone-text.tsx';
import classes from './phone.module.css';

interface ChatBubbleProps {
  /** The message as the api renders it, or as the editor of a template does. */
  content: RenderedChat;
  /** Line below the text, such as the time. */
  note?: ReactNode;
  /** Shows it on the side of the reader, who sent it. */
  isOwn?: boolean;
  onTap?: ((button: RenderedButton) => void) | undefined;
  onPick?: ((row: ListRow) => void) | undefined;
}

/** A received chat-app message: header, body, footer, buttons, list and cards. */
export function ChatBubble({ content, note, isOwn = false, onTap, onPick }: ChatBubbleProps): ReactNode {
  const { header, body, footer, buttons, list, cards } = content;
  const shown: Record<keyof RenderedChat, ReactNode> = {
    header: header && <PhoneHeader header={header} />,
    body: body && <PhoneText text={body} />,
    footer: footer && (
      <div className={classes['quiet']} dir="auto">
        {footer}
      </div>
    ),
    buttons: buttons && <PhoneButtons buttons={buttons} onTap={onTap} />,
    list: list && <PhoneList list={list} onPick={onPick} />,
    cards: cards && <PhoneCards cards={cards} onTap={onTap} />,
  };
  return (
    <div className={classes['message']} data-own={isOwn || undefined}>
      <div className={classes['bubble']}>
        {shown.header}
        {shown.body}
        {shown.footer}
        {note !== undefined && <div className={classes['meta']}>{note}</div>}
        {shown.buttons}
        {shown.list}
      </div>
      {shown.cards}
    </div>
  );
}

function PhoneHeader({ header }: { header: NonNullable<RenderedChat['header']> }): ReactNode {
  if (header.type !== 'text') return <PhoneMedia file={header} />;
  return (
    <div className={classes['title']} dir="auto">
      {header.text}
    </div>
  );
}

interface TextBubbleProps {
  text: string;
  note?: ReactNode;
  /** Shows it on the side of the reader, who wrote it. */
  isOwn?: boolean;
}

/** An SMS, or a message that a person wrote. */
export function TextBubble({ text, note, isOwn = false }: TextBubbleProps): ReactNode {
  return (
    <div className={classes['message']} data-own={isOwn || undefined}>
      <div className={classes['bubble']}>
        <PhoneText text={text} plain />
        {note !== undefined && <div className={classes['meta']}>{note}</div>}
      </div>
    </div>
  );
}
