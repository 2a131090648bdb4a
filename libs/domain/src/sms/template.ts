import type { SmsLane } from '../lane.ts';
import { MAX_SHORT_LINKS, MAX_TEMPLATE_VALUES } from '../limits.ts';
import { countLinks, parseTemplate } from './text.ts';
import { type Rule, type Violation, violation } from '../violation.ts';

const VALUE = /\{\{[1-9]\d?\}\}|\{#var#\}/;

/** Remains of a malformed placeholder, which would be sent to every recipient. */
const BROKEN = /\{\{|\}\}|\{#|#\}/;

/**
 * Checks the text of an SMS template: values are `{{1}}`, `{{2}}`… in order and each once, or all `{#var#}`.
 */
export function checkTemplateText(text: string): Violation[] {
  const pieces = parseTemplate(text);
  if (pieces.some((piece) => typeof piece === 'string' && BROKEN.test(piece))) {
    return broken(
      'invalid_placeholder',
      'must have placeholders of the form {{1}}, {#var#}, {{shortUrl}} or {{shortUrl1}} only',
    );
  }
  if (text.includes('{#var#}') && /\{\{\d/.test(text))
    return broken('invalid_placeholder', 'must not mix {{1}} with {#var#}');
  const values = pieces.flatMap((piece) =>
    typeof piece === 'object' && 'value' in piece ? piece.value : [],
  );
  if (values.some((value, i) => value !== i + 1)) {
    return broken(
      'invalid_placeholder',
      'must have the placeholders {{1}}, {{2}} and so on in order, each once',
    );
  }
  if (values.length > MAX_TEMPLATE_VALUES)
    return broken('too_many_items', `must have at most ${MAX_TEMPLATE_VALUES} placeholders`);
  if (countLinks(pieces) > MAX_SHORT_LINKS)
    return broken('too_many_items', `must have at most ${MAX_SHORT_LINKS} links`);
  return [];
}

/** Checks that the links of a template can be sent with its type. No type means any. */
export function checkLinkType(text: string, type: SmsLane | null): Violation[] {
  if (type === null || type === 'TRANS' || countLinks(parseTemplate(text)) === 0) return [];
  return [violation('type', 'not_allowed_value', 'must be TRANS or omitted, since the text has short links')];
}

function broken(rule: Rule, message: string): Violation[] {
  return [violation('text', rule, message)];
}

/**
 * Checks that a text matches a template, in which each value may be any text or empty. The words between two
 * values are searched from left to right: the leftmost match leaves most room for the rest, so none is tried
 * twice. Takes time proportional to the sum of both lengths, whatever the texts.
 */
export function matchesTemplate(template: string, text: string): boolean {
  return matches(withPlainLinks(template), withPlainLinks(text));
}

/** Writes the first link in one way: `{{shortUrl}}` and `{{shortUrl1}}` are the same. */
const withPlainLinks = (text: string): string => text.replaceAll('{{shortUrl1}}', '{{shortUrl}}');

function matches(template: string, text: string): boolean {
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

/** Finds `words` in text[from..end) by Knuth, Morris and Pratt: indexOf is not linear. */
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

/** Computes, for each prefix of `words`, the length of its longest proper prefix that is also its suffix. */
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
