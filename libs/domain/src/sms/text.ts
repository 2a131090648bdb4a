/** A piece of a text: literal text, or the number of a value or of a short link, counted from 1. */
export type TextPiece = string | { value: number } | { link: number };

const LINK = /\{\{shortUrl([1-9]\d?)?\}\}/g;
const LINK_OR_VALUE = /\{\{(?:shortUrl([1-9]\d?)?|([1-9]\d?))\}\}|\{#var#\}/g;

/** Parses the links of a text. `{{shortUrl}}` and `{{shortUrl1}}` are the same link. */
export function parseLinks(text: string): TextPiece[] {
  return split(text, LINK, ([, link = '1']) => ({ link: Number(link) }));
}

/** Parses the links and values of a template. Values are `{{1}}`, `{{2}}`…, or `{#var#}` in order. */
export function parseTemplate(text: string): TextPiece[] {
  let values = 0;
  return split(text, LINK_OR_VALUE, ([placeholder, link, value]) => {
    if (placeholder.startsWith('{{shortUrl')) return { link: Number(link ?? '1') };
    return { value: value === undefined ? (values += 1) : Number(value) };
  });
}

/** Returns the highest number of a value; 0 if there is none. */
export function countValues(pieces: readonly TextPiece[]): number {
  return pieces.reduce(
    (most, piece) => (typeof piece === 'object' && 'value' in piece ? Math.max(most, piece.value) : most),
    0,
  );
}

/** Returns the highest number of a link; 0 if there is none. */
export function countLinks(pieces: readonly TextPiece[]): number {
  return pieces.reduce(
    (most, piece) => (typeof piece === 'object' && 'link' in piece ? Math.max(most, piece.link) : most),
    0,
  );
}

/**
 * Adds up the UTF-16 units of a text with its links and without its values, so that a text that is too long needs not
 * be filled.
 *
 * @param linkLengths of the links by number, from 1; further links count as empty
 */
export function lengthOf(pieces: readonly TextPiece[], linkLengths: readonly number[]): number {
  return pieces.reduce((sum, piece) => {
    if (typeof piece === 'string') return sum + piece.length;
    return 'link' in piece ? sum + (linkLengths[piece.link - 1] ?? 0) : sum;
  }, 0);
}

/** Fills in values and links. They become literal text, which is not parsed again. */
export function fillPieces(
  pieces: readonly TextPiece[],
  values: readonly string[] | null,
  links: readonly string[] | null,
): TextPiece[] {
  const filled: TextPiece[] = [];
  for (const piece of pieces) {
    const next = fill(piece, values, links);
    const last = filled.at(-1);
    if (typeof next === 'string' && typeof last === 'string') filled[filled.length - 1] = last + next;
    else if (next !== '') filled.push(next);
  }
  return filled;
}

/**
 * Renders a text in one pass: values and links that look like placeholders are not filled in.
 *
 * @param values one for each value of the text
 * @param linkAt returns the URL of a link by its number
 * @throws RangeError when a value is missing
 */
export function renderText(
  pieces: readonly TextPiece[],
  values: readonly string[],
  linkAt: (link: number) => string,
): string {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else text += 'value' in piece ? valueAt(values, piece.value) : linkAt(piece.link);
  }
  return text;
}

function valueAt(values: readonly string[], value: number): string {
  const text = values[value - 1];
  if (typeof text !== 'string') throw new RangeError(`The text has no value ${value}.`);
  return text;
}

function fill(
  piece: TextPiece,
  values: readonly string[] | null,
  links: readonly string[] | null,
): TextPiece {
  if (typeof piece === 'string') return piece;
  if ('value' in piece) return values?.[piece.value - 1] ?? piece;
  return links?.[piece.link - 1] ?? piece;
}

function split(
  text: string,
  placeholder: RegExp,
  pieceOf: (match: RegExpMatchArray) => TextPiece,
): TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(placeholder)) {
    if (match.index > end) pieces.push(text.slice(end, match.index));
    pieces.push(pieceOf(match));
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  return pieces;
}
