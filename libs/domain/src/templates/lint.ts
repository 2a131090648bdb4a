import type { Located } from '../located.ts';
import type {
  Category,
  TemplateButton,
  TemplateCard,
  TemplateComponent,
  TemplateContent,
} from './template.ts';
import { parsePlaceholders, placeholdersOf } from './placeholders.ts';

/** A finding of the linter: the field, the name of the rule, and a sentence for the author of the template. */
export interface LintFinding {
  /** Path of the first field that breaks the rule: `components[1].buttons[0].url`. */
  field: string;
  rule: LintRule;
  message: string;
}

/** Decision of the linter: the category of the template, or the reason of its rejection. */
export type Review = { decision: 'approve'; category: Category } | { decision: 'reject'; reason: string };

/** Texts of a template without its structure. */
interface Wording {
  category: Category;
  body: Located<string>;
  /** All texts that a recipient reads, the body included. */
  texts: Located<string>[];
  urls: Located<string>[];
}

const PROMOTION =
  /\b(\d+\s?% ?off|discount|special offer|limited[- ]time|buy now|shop now|best price|flash sale|big sale|on sale|sale ends|promo code|coupon|cashback|buy one get one|free gift)\b/i;
const SECRET = /\b(cvv|card number|password|passcode|pin|net ?banking|social security number)\b/i;
const ASKS = /\b(send|reply with|share|tell|give|enter|provide|confirm|submit)\b/i;
const REFUSES = /\b(never|not|don['’]t|nobody|no one)\b/i;
const SHORTENERS = new Set([
  'bit.ly',
  'tinyurl.com',
  't.co',
  'goo.gl',
  'ow.ly',
  'is.gd',
  'cutt.ly',
  'rb.gy',
  'shorturl.at',
  'rebrand.ly',
]);
const LOUD_LETTERS = 20;

/** Rules that reviewers of templates apply, each with a sentence for the author; `find` returns what breaks it. */
const RULES = {
  promotion_in_utility: {
    message: 'A UTILITY template must not advertise: make it a MARKETING template, or take the offer out.',
    find: ({ category, texts }) =>
      category === 'UTILITY' ? texts.find(({ value }) => PROMOTION.test(value)) : undefined,
  },
  not_a_code_message: {
    message: 'An AUTHENTICATION template must only give the code: take out links and offers.',
    find: ({ category, texts }) =>
      category === 'AUTHENTICATION'
        ? texts.find(({ value }) => PROMOTION.test(value) || /https?:\/\//i.test(value))
        : undefined,
  },
  no_words: {
    message: 'The body must say something by itself: it holds placeholders only.',
    find: ({ body }) => (/[\p{L}\p{N}]/u.test(wordsOf(body.value)) ? undefined : body),
  },
  too_few_words: {
    message: 'The body must have more words than placeholders, so that it is clear what it says.',
    find: ({ body }) => {
      const words = wordsOf(body.value).match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
      return placeholdersOf(body.value).length > words ? body : undefined;
    },
  },
  touching_placeholders: {
    message: 'Placeholders must not touch: put a word or a sign between them.',
    find: ({ texts }) => texts.find(({ value }) => /\}\}\s?\{\{/.test(value)),
  },
  asks_for_secrets: {
    message: 'A template must not ask for passwords, card numbers or PINs.',
    find: ({ texts }) => texts.find(({ value }) => value.split(/[.!?\n]/).some(asksForSecret)),
  },
  shortened_url: {
    message: 'A URL must show where it leads: do not use a link shortener.',
    find: ({ urls }) => urls.find(({ value }) => SHORTENERS.has(hostOf(value))),
  },
  shouting: {
    message: 'The text must not be written in capitals only.',
    find: ({ body, texts }) => {
      const text = texts.map(({ value }) => value).join('\n');
      const isLoud = text === text.toUpperCase() && (text.match(/\p{Lu}/gu)?.length ?? 0) > LOUD_LETTERS;
      return isLoud ? body : undefined;
    },
  },
} satisfies Record<string, { message: string; find: (wording: Wording) => Located<string> | undefined }>;

/** Name of a rule, which starts its sentence in a rejection. */
export type LintRule = keyof typeof RULES;

/** Finds the wording of a valid template that a reviewer would refuse. */
export function lintTemplate(content: TemplateContent): LintFinding[] {
  const wording = wordingOf(content);
  const names = Object.keys(RULES) as LintRule[];
  return names.flatMap((rule) => {
    const found = RULES[rule].find(wording);
    return found ? [{ field: found.path, rule, message: RULES[rule].message }] : [];
  });
}

/**
 * Approves a template without findings. A UTILITY template whose only fault is advertising becomes MARKETING if its
 * owner allows that.
 */
export function reviewTemplate(content: TemplateContent): Review {
  const findings = lintTemplate(content);
  if (findings.length === 0) return { decision: 'approve', category: content.category };
  const isJustMisplaced = findings.every(({ rule }) => rule === 'promotion_in_utility');
  if (isJustMisplaced && content.allowCategoryChange) return { decision: 'approve', category: 'MARKETING' };
  return {
    decision: 'reject',
    reason: findings.map(({ rule, message }) => `${rule}: ${message}`).join('\n'),
  };
}

function wordingOf({ category, components }: TemplateContent): Wording {
  const placed = components.map((value, i) => ({ path: `components[${i}]`, value }));
  const body = placed.find(({ value }) => value.type === 'BODY');
  const cards = placed.flatMap(cardsOf);
  const buttons = [...placed, ...cards].flatMap(buttonsOf);
  return {
    category,
    body: { path: `${body?.path ?? 'components'}.text`, value: body?.value.text ?? '' },
    texts: [
      ...placed.flatMap((component) => textsOf(component, ['text'])),
      ...cards.flatMap((card) => textsOf(card, ['body', 'footer'])),
      ...buttons.flatMap((button) => textsOf(button, ['text'])),
    ],
    urls: buttons.flatMap((button) => textsOf(button, ['url'])),
  };
}

function textsOf<T extends object>(
  { path, value }: Located<T>,
  names: (keyof T & string)[],
): Located<string>[] {
  return names.flatMap((name) => {
    const text: unknown = value[name];
    return typeof text === 'string' ? [{ path: `${path}.${name}`, value: text }] : [];
  });
}

function cardsOf({ path, value: { cards = [] } }: Located<TemplateComponent>): Located<TemplateCard>[] {
  return cards.map((value, i) => ({ path: `${path}.cards[${i}]`, value }));
}

function buttonsOf({
  path,
  value: { buttons = [] },
}: Located<{ buttons?: TemplateButton[] }>): Located<TemplateButton>[] {
  return buttons.map((value, i) => ({ path: `${path}.buttons[${i}]`, value }));
}

function asksForSecret(sentence: string): boolean {
  return ASKS.test(sentence) && SECRET.test(sentence) && !REFUSES.test(sentence);
}

function wordsOf(text: string): string {
  return (parsePlaceholders(text) ?? []).filter((piece) => typeof piece === 'string').join(' ');
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname.replace(/^www\./, '') ?? '';
}
