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
  return (
    <div className={classes['message']} data-own={isOwn || undefined}>
      <div className={classes['bubble']}>
        {header?.type === 'text' && (
          <div className={classes['title']} dir="auto">
            {header.text}
          </div>
        )}
        {header && header.type !== 'text' && <PhoneMedia file={header} />}
        {body !== undefined && body !== '' && <PhoneText text={body} />}
        {footer !== undefined && footer !== '' && <div className={classes['quiet']}>{footer}</div>}
        {note !== undefined && <div className={classes['meta']}>{note}</div>}
        {buttons && <PhoneButtons buttons={buttons} onTap={onTap} />}
        {list && <PhoneList list={list} onPick={onPick} />}
      </div>
      {cards && <PhoneCards cards={cards} onTap={onTap} />}
    </div>
  );
}

/** A received SMS. */
export function SmsBubble({ text, note }: { text: string; note?: ReactNode }): ReactNode {
  return (
    <div className={classes['message']}>
      <div className={classes['bubble']}>
        <PhoneText text={text} plain />
        {note !== undefined && <div className={classes['meta']}>{note}</div>}
      </div>
    </div>
  );
}

/** A message that the owner of the phone wrote. */
export function OwnBubble({ text, note }: { text: string; note?: ReactNode }): ReactNode {
  return (
    <div className={classes['message']} data-own>
      <div className={classes['bubble']}>
        <PhoneText text={text} plain />
        {note !== undefined && <div className={classes['meta']}>{note}</div>}
      </div>
    </div>
  );
}
