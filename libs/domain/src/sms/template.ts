import { MAX_SHORT_LINKS, MAX_TEMPLATE_VALUES } from '../limits.ts';
import { type TextPiece, countLinks, parseTemplate } from './text.ts';
import type { Violation } from '../violation.ts';

const VALUE = /\{\{[1-9]\d?\}\}|\{#var#\}/;

/** What is left of a placeholder that is none: a typo would go out to every recipient. */
const BROKEN = /\{\{|\}\}|\{#|#\}/;

/** What is wrong with the text of an SMS template: its values are `{{1}}`, `{{2}}`… in order and each once, or all `{#var#}`. */
export function checkTemplateText(text: string): Violation[] {
  const pieces = parseTemplate(text);
  const violation = (rule: string, message: string): Violation[] => [{ field: 'text', rule, message }];
  if (pieces.some((piece) => typeof piece === 'string' && BROKEN.test(piece))) {
    return violation(
      'invalid_placeholder',
      'must have placeholders of the form {{1}}, {#var#}, {{shortUrl}} or {{shortUrl1}} only',
    );
  }
  if (text.includes('{#var#}') && /\{\{\d/.test(text))
    return violation('invalid_placeholder', 'must not mix {{1}} with {#var#}');
  const values = pieces.flatMap((piece) =>
    typeof piece === 'object' && 'value' in piece ? piece.value : [],
  );
  if (values.some((value, i) => value !== i + 1)) {
    return violation(
      'invalid_placeholder',
      'must have the placeholders {{1}}, {{2}} and so on in order, each once',
    );
  }
  if (values.length > MAX_TEMPLATE_VALUES)
    return violation('too_many_items', `must have at most ${MAX_TEMPLATE_VALUES} placeholders`);
  return checkLinkNumbers(pieces);
}

function checkLinkNumbers(pieces: TextPiece[]): Violation[] {
  if (countLinks(pieces) <= MAX_SHORT_LINKS) return [];
  return [{ field: 'text', rule: 'too_many_items', message: `must have at most ${MAX_SHORT_LINKS} links` }];
}

/**
 * Whether a text is the template with something, or nothing, in the place of each value. The words between two values are looked
 * for from left to right; the leftmost place leaves most room for the rest, so no place is tried twice. Takes time in
 * proportion to both lengths together, whatever the texts.
 */
export function matchesTemplate(template: string, text: string): boolean {
  const [first = '', ...rest] = template.split(VALUE);
  const last = rest.pop();
  if (last === undefined) return text === first;
  const end = text.length - last.length;
  if (first.length > end || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const words of rest) {
    const found = find(text, words, at, end);
    if (found === undefined) return false;
    at = found + words.length;
  }
  return true;
}

/** Where `words` first stand in text[from..end), by Knuth, Morris and Pratt: indexOf may take the product of the lengths. */
function find(text: string, words: string, from: number, end: number): number | undefined {
  if (words === '') return from;
  const borders = bordersOf(words);
  let matched = 0;
  for (let i = from; i < end; i += 1) {
    while (matched > 0 && text[i] !== words[matched]) matched = borders[matched - 1]!;
    if (text[i] === words[matched]) matched += 1;
    if (matched === words.length) return i + 1 - matched;
  }
  return undefined;
}

/** For each length of a start of `words`: how long the longest shorter start is that it ends with. */
function bordersOf(words: string): Uint32Array {
  const borders = new Uint32Array(words.length);
  let border = 0;
  for (let i = 1; i < words.length; i += 1) {
    while (border > 0 && words[i] !== words[border]) border = borders[border - 1]!;
    if (words[i] === words[border]) border += 1;
    borders[i] = border;
  }
  return borders;
}
