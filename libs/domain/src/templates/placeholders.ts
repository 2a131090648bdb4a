const PLACEHOLDER = /\{\{([1-9]\d?)\}\}/g;

/** The most placeholders a template has in all. */
export const MAX_PLACEHOLDERS = 50;

/** A text of a template in pieces: words as they stand, and the numbers of what is filled in between. */
export type TemplatePiece = string | number;

/**
 * Takes a text apart at its placeholders `{{1}}` to `{{99}}`.
 *
 * @returns undefined when there is a pair of braces that is no placeholder: `{{a}}`, `{{ 1 }}`, `{{0}}`, `{{1}`
 */
export function parsePlaceholders(text: string): TemplatePiece[] | undefined {
  const pieces: TemplatePiece[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > end) pieces.push(text.slice(end, match.index));
    pieces.push(Number(match[1]));
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  const isWhole = pieces.every((piece) => typeof piece === 'number' || !/\{\{|\}\}/.test(piece));
  return isWhole ? pieces : undefined;
}

/** The numbers of a text's placeholders as they stand in it; none in a text that cannot be taken apart. */
export function placeholdersOf(text: string): number[] {
  return (parsePlaceholders(text) ?? []).filter((piece) => typeof piece === 'number');
}
