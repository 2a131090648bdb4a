import { type ReactNode, type UIEvent, useEffect, useRef } from 'react';
import classes from './phone-preview.module.css';

/** Pixels from the end at which a screen still shows it. */
const NEAR_PX = 80;

interface PhonePreviewProps {
  /** Name or number at the top of the screen. */
  title: string;
  /** Line below it, such as `SMS` or `Business account`. */
  subtitle?: string;
  /** Bubbles, top to bottom. */
  children: ReactNode;
  /** Content below the bubbles, such as a field for an answer. */
  footer?: ReactNode;
  /** Key of the end of a conversation: a screen that shows the end scrolls there when it changes. */
  last?: string | undefined;
}

/** The frame of a phone around a conversation. */
export function PhonePreview({ title, subtitle, children, footer, last }: PhonePreviewProps): ReactNode {
  const screen = useRef<HTMLDivElement>(null);
  const showsEnd = useRef(true);
  useEffect(() => {
    if (last !== undefined && showsEnd.current) screen.current!.scrollTop = screen.current!.scrollHeight;
  }, [last]);
  const note = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent<HTMLElement>): void => {
    showsEnd.current = scrollHeight - clientHeight - scrollTop < NEAR_PX;
  };
  return (
    <section className={classes['phone']} aria-label={`Phone: ${title}`}>
      <header className={classes['bar']}>
        <strong>{title}</strong>
        {subtitle !== undefined && <span>{subtitle}</span>}
      </header>
      <div
        ref={screen}
        className={classes['screen']}
        tabIndex={0}
        role="log"
        aria-label="Messages"
        onScroll={note}
      >
        {children}
      </div>
      {footer !== undefined && <footer className={classes['footer']}>{footer}</footer>}
    </section>
  );
}
