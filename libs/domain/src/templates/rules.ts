import { linkProblem, linkTemplateProblem } from '../links/link-url.ts';
import { isObjectOrList } from '../is-object.ts';
import { type Located, objectsOf } from '../located.ts';
import { fileKindOf } from '../media/file-kind.ts';
import { type Violation, violation } from '../violation.ts';
import { MAX_PLACEHOLDERS, parsePlaceholders } from './placeholders.ts';
import {
  type Category,
  MAX_BODY_LENGTH,
  MAX_COMPONENTS_BYTES,
  type TemplateButton,
  type TemplateCard,
  type TemplateComponent,
} from './template.ts';

/**
 * A template whose fields may be of the wrong type. Such fields are skipped: other rules refuse them.
 */
export interface CheckedTemplate {
  category?: Category | undefined;
  components: readonly TemplateComponent[];
  codeExpirationMinutes?: number | undefined;
}

/** Checks the rules that involve several fields of a template. */
export function checkTemplate({ category, components, codeExpirationMinutes }: CheckedTemplate): Violation[] {
  const placed = components.map((value, i) => ({ path: `components[${i}]`, value }));
  const named = placed.filter(({ value }) => isObjectOrList(value) && typeof value.type === 'string');
  const broken = [
    ...checkSize(components),
    ...checkSet(named),
    ...named.flatMap(checkComponent),
    ...checkNumbering(named),
  ];
  if (category === 'AUTHENTICATION') return [...broken, ...checkAuthentication(named)];
  if (category === undefined) return broken;
  return [...broken, ...checkNoCode(named, codeExpirationMinutes)];
}

type Placed = Located<TemplateComponent>;

function checkSize(components: readonly TemplateComponent[]): Violation[] {
  if (new TextEncoder().encode(JSON.stringify(components)).length <= MAX_COMPONENTS_BYTES) return [];
  return [violation('components', 'max_length', `must be at most ${MAX_COMPONENTS_BYTES} bytes as JSON`)];
}

function checkSet(components: Placed[]): Violation[] {
  const types = new Set<string>();
  const broken = components.flatMap(({ path, value: { type } }) => {
    if (types.has(type)) return [violation(`${path}.type`, 'duplicate_item', 'must not be there twice')];
    types.add(type);
    return [];
  });
  const isMissing = types.size > 0 && !types.has('BODY');
  return isMissing ? [...broken, violation('components', 'missing_body', 'must have a BODY')] : broken;
}

function checkComponent(component: Placed): Violation[] {
  switch (component.value.type) {
    case 'HEADER':
      return checkHeader(component);
    case 'BODY':
      return checkBody(component);
    case 'FOOTER':
      return checkPlain(`${component.path}.text`, component.value.text);
    case 'BUTTONS':
      return buttonsOf(component).flatMap(checkButton);
    case 'CAROUSEL':
      return cardsOf(component).flatMap(checkCard);
    default:
      return [];
  }
}

function checkHeader({ path, value: { format, text, example } }: Placed): Violation[] {
  if (isMedia(format)) return checkMediaExample(path, example);
  return format === 'TEXT' && typeof text === 'string' ? checkTextHeader(path, text, example) : [];
}

function checkMediaExample(path: string, example: TemplateComponent['example']): Violation[] {
  if (!isObjectOrList(example) || example.header_handle !== undefined) return [];
  return [violation(`${path}.example.header_handle`, 'required', 'is required')];
}

function checkTextHeader(path: string, text: string, example: TemplateComponent['example']): Violation[] {
  const pieces = parsePlaceholders(text);
  if (pieces === undefined) return [malformed(`${path}.text`)];
  const numbers = pieces.filter((piece) => typeof piece === 'number');
  if (numbers.length > 1)
    return [violation(`${path}.text`, 'too_many_placeholders', 'must hold at most one placeholder')];
  if (numbers.length === 1 && numbers[0] !== 1)
    return [violation(`${path}.text`, 'placeholder_order', 'must number its placeholder {{1}}')];
  const given = isObjectOrList(example) ? example.header_text : undefined;
  return Array.isArray(given)
    ? checkCount(`${path}.example.header_text`, given.length, [numbers.length])
    : [];
}

function checkBody({ path, value: { text } }: Placed): Violation[] {
  return typeof text === 'string' && parsePlaceholders(text) === undefined ? [malformed(`${path}.text`)] : [];
}

function checkButton({ path, value: { text, url } }: Located<TemplateButton>): Violation[] {
  const broken = checkPlain(`${path}.text`, text);
  if (typeof url !== 'string') return broken;
  const problem = linkTemplateProblem(url) ?? (parsePlaceholders(url) === undefined ? MALFORMED : undefined);
  return problem ? [...broken, { field: `${path}.url`, ...problem }] : broken;
}

function checkCard(card: Located<TemplateCard>): Violation[] {
  const { path, value } = card;
  const image = isObjectOrList(value.header) ? value.header.image_url : undefined;
  const problem = typeof image === 'string' ? linkProblem(image) : undefined;
  return [
    ...(problem ? [{ field: `${path}.header.image_url`, ...problem }] : []),
    ...(typeof value.body === 'string' && parsePlaceholders(value.body) === undefined
      ? [malformed(`${path}.body`)]
      : []),
    ...checkPlain(`${path}.footer`, value.footer),
    ...buttonsOf(card).flatMap(checkButton),
  ];
}

/** Checks a text that must not hold placeholders. */
function checkPlain(field: string, text: unknown): Violation[] {
  if (typeof text !== 'string' || !/\{\{|\}\}/.test(text)) return [];
  return [violation(field, 'placeholder_not_allowed', 'must not hold a placeholder')];
}

/**
 * Checks that placeholders are numbered without gaps across the whole template except its header: first the body, then
 * cards, then buttons. A number may repeat, for the same value.
 */
function checkNumbering(components: Placed[]): Violation[] {
  let last = 0;
  let body = 0;
  for (const { path, value } of textsToFill(components)) {
    for (const number of parsePlaceholders(value) ?? []) {
      if (typeof number !== 'number') continue;
      if (number > last + 1)
        return [violation(path, 'placeholder_order', `must have {{${last + 1}}} before {{${number}}}`)];
      last = Math.max(last, number);
      if (last > MAX_PLACEHOLDERS)
        return [violation(path, 'too_many_placeholders', `must be at most ${MAX_PLACEHOLDERS} in all`)];
    }
    if (/^components\[\d+\]\.text$/.test(path)) body = last;
  }
  return components
    .filter(({ value }) => value.type === 'BODY')
    .flatMap((component) => checkExample(component, body, last));
}

function textsToFill(components: Placed[]): Located<string>[] {
  const of = (type: string) => components.filter(({ value }) => value.type === type);
  const bodies = of('BODY').map(({ path, value }) => ({ path: `${path}.text`, value: value.text }));
  const cards = of('CAROUSEL').flatMap(cardsOf);
  const onCards = cards.flatMap((card) => [
    { path: `${card.path}.body`, value: card.value.body },
    ...urlsOf(card),
  ]);
  const all = [...bodies, ...onCards, ...of('BUTTONS').flatMap(urlsOf)];
  return all.filter((each): each is Located<string> => typeof each.value === 'string');
}

function urlsOf(parent: Located<{ buttons?: TemplateButton[] }>): Located<string | undefined>[] {
  return buttonsOf(parent).map(({ path, value }) => ({ path: `${path}.url`, value: value.url }));
}

/** Checks the sample values: one list, either for the body or for the whole template. */
function checkExample({ path, value: { example } }: Placed, body: number, all: number): Violation[] {
  const lists: unknown = isObjectOrList(example) ? example.body_text : undefined;
  if (!Array.isArray(lists)) return [];
  const field = `${path}.example.body_text`;
  const wrong = lists.flatMap((list: unknown, i) =>
    Array.isArray(list) ? checkSamples(`${field}[${i}]`, list) : [],
  );
  if (wrong.length > 0 || !Array.isArray(lists[0])) return wrong;
  return checkCount(`${field}[0]`, lists[0].length, [body, all]);
}

function checkSamples(field: string, samples: unknown[]): Violation[] {
  return samples.flatMap((sample, i) => {
    const broken = checkSample(`${field}[${i}]`, sample);
    return broken ? [broken] : [];
  });
}

function checkSample(field: string, sample: unknown): Violation | undefined {
  if (sample === null) return violation(field, 'null_not_allowed', 'must not be null');
  if (typeof sample !== 'string') return violation(field, 'invalid_type', 'must be a string');
  if (Array.from(sample).length <= MAX_BODY_LENGTH) return undefined;
  return violation(field, 'max_length', `must be at most ${MAX_BODY_LENGTH} characters`);
}

function checkCount(field: string, count: number, allowed: number[]): Violation[] {
  if (allowed.includes(count)) return [];
  return [
    violation(
      field,
      'example_mismatch',
      `must have one value for each placeholder: ${[...new Set(allowed)].join(' or ')}`,
    ),
  ];
}

/** Checks that `{{1}}` is the code, that an OTP button is the only one, and that there is no media. */
function checkAuthentication(components: Placed[]): Violation[] {
  const buttons = components.filter(({ value }) => value.type === 'BUTTONS').flatMap(buttonsOf);
  const bodies = components.filter(({ value }) => value.type === 'BODY');
  return [
    ...components
      .filter(({ value }) => isMedia(value.format))
      .map(({ path }) => notInAuthentication(`${path}.format`)),
    ...components
      .filter(({ value }) => value.type === 'CAROUSEL')
      .map(({ path }) => notInAuthentication(`${path}.type`)),
    ...bodies.flatMap(checkCodePlace),
    ...buttons
      .filter(({ value }) => value.type !== 'OTP')
      .map(({ path }) => notInAuthentication(`${path}.type`)),
    ...buttons
      .slice(1)
      .map(({ path }) =>
        violation(path, 'too_many_items', 'must be the only button of an AUTHENTICATION template'),
      ),
    ...(buttons.length > 0 || bodies.some(isZeroTap)
      ? []
      : [violation('components', 'missing_otp_button', 'must have an OTP button')]),
  ];
}

function checkCodePlace({ path, value: { text } }: Placed): Violation[] {
  const pieces = typeof text === 'string' ? parsePlaceholders(text) : undefined;
  if (pieces === undefined || pieces.filter((piece) => typeof piece === 'number').join() === '1') return [];
  return [
    violation(
      `${path}.text`,
      'placeholder_required',
      'must hold {{1}} once, for the code, and no other placeholder',
    ),
  ];
}

/** True for a zero-tap template, whose sample code is empty: it shows no code. */
function isZeroTap({ value: { example } }: Placed): boolean {
  return (
    isObjectOrList(example) && Array.isArray(example.body_text) && example.body_text.flat().join('') === ''
  );
}

function checkNoCode(components: Placed[], codeExpirationMinutes: number | undefined): Violation[] {
  const buttons = components.filter(({ value }) => value.type === 'BUTTONS').flatMap(buttonsOf);
  const minutes =
    codeExpirationMinutes === undefined ? [] : [onlyInAuthentication('code_expiration_minutes')];
  return [
    ...buttons
      .filter(({ value }) => value.type === 'OTP')
      .map(({ path }) => onlyInAuthentication(`${path}.type`)),
    ...minutes,
  ];
}

function buttonsOf({ path, value }: Located<{ buttons?: TemplateButton[] }>): Located<TemplateButton>[] {
  return objectsOf(`${path}.buttons`, value.buttons);
}

function cardsOf({ path, value }: Placed): Located<TemplateCard>[] {
  return objectsOf(`${path}.cards`, value.cards);
}

function isMedia(format: string | undefined): boolean {
  return fileKindOf(format) !== undefined;
}

const MALFORMED: Omit<Violation, 'field'> = {
  rule: 'invalid_placeholder',
  message: 'must write placeholders as {{1}}, {{2}} and so on',
};

function malformed(field: string): Violation {
  return { field, ...MALFORMED };
}

function notInAuthentication(field: string): Violation {
  return violation(field, 'not_allowed_value', 'must not be in an AUTHENTICATION template');
}

function onlyInAuthentication(field: string): Violation {
  return violation(field, 'not_allowed_value', 'must be in AUTHENTICATION templates only');
}
