import { IconList } from '@tabler/icons-react';
import type { RenderedChat } from '@signalbox/domain/chat/message';
import { type ReactNode, useId, useState } from 'react';
import classes from './phone.module.css';
import { WORDS } from './words.ts';

type ChatList = NonNullable<RenderedChat['list']>;
/** A row of a list. */
export type ListRow = ChatList['sections'][number]['rows'][number];

interface PhoneListProps {
  list: ChatList;
  /** Called with a chosen row; without it rows are only shown. */
  onPick?: ((row: ListRow) => void) | undefined;
}

/** The button of a list, which opens its rows. */
export function PhoneList({ list, onPick }: PhoneListProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const pick = onPick && ((row: ListRow) => (setOpen(false), onPick(row)));
  return (
    <>
      <button
        type="button"
        className={classes['button']}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <IconList size={15} stroke={1.8} aria-hidden />
        <span dir="auto">{list.button}</span>
      </button>
      {isOpen && (
        <div id={id} className={classes['sheet']} role="group" aria-label={WORDS.rows}>
          {list.sections.map(({ title, rows }, i) => (
            <section key={i}>
              {title !== undefined && title !== '' && <h4 className={classes['sectionTitle']}>{title}</h4>}
              {rows.map((row) => (
                <Row key={row.id} row={row} pick={pick} />
              ))}
            </section>
          ))}
        </div>
      )}
    </>
  );
}

function Row({ row, pick }: { row: ListRow; pick: ((row: ListRow) => void) | undefined }): ReactNode {
  const content = (
    <>
      <span>{row.title}</span>
      {row.description !== undefined && <span className={classes['quiet']}>{row.description}</span>}
    </>
  );
  return pick ? (
    <button
      type="button"
      className={classes['row']}
      aria-label={WORDS.choose(row.title)}
      onClick={() => pick(row)}
    >
      {content}
    </button>
  ) : (
    <div className={classes['row']}>{content}</div>
  );
}
