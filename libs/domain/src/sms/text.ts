/** A piece of a text that differs by recipient: words as they stand, the place of a value, or the place of a short link, both counted from 1. */
export type TextPiece = string | { value: number } | { link: number };

const LINK = /\{\{shortUrl([1-9]\d?)?\}\}/g;
const LINK_OR_VALUE = /\{\{(?:shortUrl([1-9]\d?)?|([1-9]\d?))\}\}|\{#var#\}/g;

/** The pieces of a caller's text: `{{shortUrl}}` and `{{shortUrl1}}` are the first link, `{{shortUrl2}}` the second. */
export function parseLinks(text: string): TextPiece[] {
  return split(text, LINK, ([, link = '1']) => ({ link: Number(link) }));
}

/** The pieces of a template: links, and values as `{{1}}`, `{{2}}`… or as one `{#var#}` after the other. */
export function parseTemplate(text: string): TextPiece[] {
  let values = 0;
  return split(text, LINK_OR_VALUE, ([placeholder, link, value]) => {
    if (placeholder.startsWith('{{shortUrl')) return { link: Number(link ?? '1') };
    return { value: value === undefined ? (values += 1) : Number(value) };
  });
}

/** The highest number of a value among pieces; 0 when there is none. */
export function countValues(pieces: readonly TextPiece[]): number {
  return Math.max(
    0,
    ...pieces.map((piece) => (typeof piece === 'object' && 'value' in piece ? piece.value : 0)),
  );
}

/** The highest number of a link among pieces; 0 when there is none. */
export function countLinks(pieces: readonly TextPiece[]): number {
  return Math.max(
    0,
    ...pieces.map((piece) => (typeof piece === 'object' && 'link' in piece ? piece.link : 0)),
  );
}

/** Puts in what all recipients have in common; what it brings in is words from then on. */
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
 * Puts a text together in one pass: what a value or a link brings in is never looked at again, whatever it looks like.
 *
 * @param values one for each place of a value
 * @param linkAt the address of a link by its number
 */
export function renderText(
  pieces: readonly TextPiece[],
  values: readonly string[],
  linkAt: (link: number) => string,
): string {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else text += 'value' in piece ? values[piece.value - 1]! : linkAt(piece.link);
  }
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
