import type { ReactNode } from 'react';
import { type TextPiece, formatText } from './format-text.ts';
import classes from './phone.module.css';

/** A text of a chat app with its formatting, or with `plain` the text of an SMS, where only addresses stand out. */
export function PhoneText({ text, plain = false }: { text: string; plain?: boolean }): ReactNode {
  const pieces = plain ? linksOf(text) : formatText(text);
  return (
    <span className={classes['text']} dir="auto">
      {pieces.map((piece, i) => (
        <Piece key={i} piece={piece} />
      ))}
    </span>
  );
}

const LINK = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'])/;

function linksOf(text: string): TextPiece[] {
  return text
    .split(LINK)
    .filter((part) => part !== '')
    .map((part) => (LINK.test(part) ? { text: part, link: part } : { text: part }));
}

function Piece({ piece: { text, bold, italic, strike, mono, link } }: { piece: TextPiece }): ReactNode {
  const style = {
    ...(bold && { fontWeight: 650 }),
    ...(italic && { fontStyle: 'italic' }),
    ...(strike && { textDecoration: 'line-through' }),
    ...(mono && { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.92em' }),
  };
  if (link === undefined) return <span style={style}>{text}</span>;
  return (
    <a href={link} target="_blank" rel="noreferrer noopener" style={style}>
      {text}
    </a>
  );
}
