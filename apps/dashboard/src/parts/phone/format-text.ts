/** A piece of a chat-app text with the marks that apply to it. */
export interface TextPiece {
  text: string;
  bold?: true;
  italic?: true;
  strike?: true;
  mono?: true;
  /** An http or https address. */
  link?: string;
}

type Mark = 'bold' | 'italic' | 'strike';

const MARKS: Readonly<Record<string, Mark>> = { '*': 'bold', _: 'italic', '~': 'strike' };
/** Code in three backticks or one, a marked word, or an address. A mark touches its text, and no letter outside. */
const FORMAT =
  /```([\s\S]+?)```|`([^`\n]+)`|(?<![\p{L}\p{N}])([*_~])(?=\S)([^\n]*?\S)\3(?![\p{L}\p{N}])|(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'])/u;

/** Splits a text as a chat app formats it: *bold*, _italic_, ~struck~, `code` and addresses. */
export function formatText(text: string, marks: Omit<TextPiece, 'text'> = {}): TextPiece[] {
  const pieces: TextPiece[] = [];
  let rest = text;
  for (let match = FORMAT.exec(rest); match; match = FORMAT.exec(rest)) {
    if (match.index > 0) pieces.push({ text: rest.slice(0, match.index), ...marks });
    pieces.push(...formatted(match, marks));
    rest = rest.slice(match.index + match[0].length);
  }
  return rest === '' ? pieces : [...pieces, { text: rest, ...marks }];
}

function formatted(match: RegExpExecArray, marks: Omit<TextPiece, 'text'>): TextPiece[] {
  const [whole, block, inline, mark, inner, link] = match;
  if (link !== undefined) return [{ text: whole, ...marks, link }];
  const code = block ?? inline;
  if (code !== undefined) return [{ text: code, ...marks, mono: true }];
  return formatText(inner ?? '', { ...marks, [MARKS[mark ?? '']!]: true });
}
