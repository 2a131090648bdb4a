/** A piece of a text that differs by recipient: words as they stand, the place of a value, or the place of a short link, both counted from 1. */
export type TextPiece = string | { value: number } | { link: number };

/**
 * Puts a text together in one pass: what a value or a link brings in is never looked at again, whatever it looks like.
 *
 * @param values one for each place of a value
 * @param linkAt the address of a link by its number
 */
export function renderText(pieces: readonly TextPiece[], values: readonly string[], linkAt: (link: number) => string): string {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else text += 'value' in piece ? values[piece.value - 1]! : linkAt(piece.link);
  }
  return text;
}
