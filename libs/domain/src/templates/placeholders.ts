const PLACEHOLDER = /\{\{([1-9]\d?)\}\}/g;

/** Highest number of a placeholder of a template. */
export const MAX_PLACEHOLDERS = 50;

/** A piece of a template's text: literal text, or the number of a placeholder. */
export type TemplatePiece = string | number;

/**
 * Splits a text at its placeholders `{{1}}` to `{{99}}`.
 *
 * @returns undefined if other double braces remain: `{{a}}`, `{{ 1 }}`, `{{0}}`, `{{1}`
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

/** Lists the numbers of the placeholders in order; none for a malformed text. */
export function placeholdersOf(text: string): number[] {
  return (parsePlaceholders(text) ?? []).filter((piece) => typeof piece === 'number');
}
