import type { Category, TemplateComponent, TemplateContent } from './template.ts';
import { parsePlaceholders, placeholdersOf } from './placeholders.ts';

/** A finding of the linter: the name of its rule, and a sentence for the author of the template. */
export interface LintFinding {
  rule: LintRule;
  message: string;
}

/** Decision of the linter: the category of the template, or the reason of its rejection. */
export type Review = { decision: 'approve'; category: Category } | { decision: 'reject'; reason: string };

/** Texts of a template without its structure. */
interface Wording {
  category: Category;
  body: string;
  /** All texts that a recipient reads, the body included. */
  text: string;
  urls: string[];
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

/** Rules that reviewers of templates apply, each with a sentence for the author. */
const RULES = {
  promotion_in_utility: {
    message: 'A UTILITY template must not advertise: make it a MARKETING template, or take the offer out.',
    isBroken: ({ category, text }) => category === 'UTILITY' && PROMOTION.test(text),
  },
  not_a_code_message: {
    message: 'An AUTHENTICATION template must only give the code: take out links and offers.',
    isBroken: ({ category, text }) =>
      category === 'AUTHENTICATION' && (PROMOTION.test(text) || /https?:\/\//i.test(text)),
  },
  no_words: {
    message: 'The body must say something by itself: it holds placeholders only.',
    isBroken: ({ body }) => !/[\p{L}\p{N}]/u.test(wordsOf(body)),
  },
  too_few_words: {
    message: 'The body must have more words than placeholders, so that it is clear what it says.',
    isBroken: ({ body }) =>
      placeholdersOf(body).length > (wordsOf(body).match(/[\p{L}\p{N}]+/gu)?.length ?? 0),
  },
  touching_placeholders: {
    message: 'Placeholders must not touch: put a word or a sign between them.',
    isBroken: ({ text }) => /\}\}\s?\{\{/.test(text),
  },
  asks_for_secrets: {
    message: 'A template must not ask for passwords, card numbers or PINs.',
    isBroken: ({ text }) =>
      text
        .split(/[.!?\n]/)
        .some((sentence) => ASKS.test(sentence) && SECRET.test(sentence) && !REFUSES.test(sentence)),
  },
  shortened_url: {
    message: 'A URL must show where it leads: do not use a link shortener.',
    isBroken: ({ urls }) => urls.some((url) => SHORTENERS.has(hostOf(url))),
  },
  shouting: {
    message: 'The text must not be written in capitals only.',
    isBroken: ({ text }) =>
      text === text.toUpperCase() && (text.match(/\p{Lu}/gu)?.length ?? 0) > LOUD_LETTERS,
  },
} satisfies Record<string, { message: string; isBroken: (wording: Wording) => boolean }>;

/** Name of a rule, which starts its sentence in a rejection. */
export type LintRule = keyof typeof RULES;

/** Finds the wording of a valid template that a reviewer would refuse. */
export function lintTemplate(content: TemplateContent): LintFinding[] {
  const wording = wordingOf(content);
  const names = Object.keys(RULES) as LintRule[];
  return names
    .filter((rule) => RULES[rule].isBroken(wording))
    .map((rule) => ({ rule, message: RULES[rule].message }));
}

/**
 * Approves a template without findings. A UTILITY template whose only fault is advertising becomes MARKETING
 * if its owner allows that.
 */
export function reviewTemplate(content: TemplateContent): Review {
  const findings = lintTemplate(content);
  if (findings.length === 0) return { decision: 'approve', category: content.category };
  const isJustMisplaced = findings.every(({ rule }) => rule === 'promotion_in_utility');
  if (isJustMisplaced && content.allowCategoryChange) return { decision: 'approve', category: 'MARKETING' };
  return { decision: 'reject', reason: findings.map(({ rule, message }) => `${rule}: ${message}`).join(' ') };
}

function wordingOf({ category, components }: TemplateContent): Wording {
  const buttons = components.flatMap((component) => [
    ...(component.buttons ?? []),
    ...cardsOf(component).flatMap((card) => card.buttons ?? []),
  ]);
  const body = components.find(({ type }) => type === 'BODY')?.text ?? '';
  const cardTexts = components.flatMap(cardsOf).flatMap((card) => [card.body, card.footer ?? '']);
  const texts = [
    ...components.map(({ text }) => text ?? ''),
    ...cardTexts,
    ...buttons.map(({ text }) => text ?? ''),
  ];
  return {
    category,
    body,
    text: texts.join('\n'),
    urls: buttons.flatMap(({ url }) => (url === undefined ? [] : [url])),
  };
}

function cardsOf({ cards = [] }: TemplateComponent): NonNullable<TemplateComponent['cards']> {
  return cards;
}

function wordsOf(text: string): string {
  return (parsePlaceholders(text) ?? []).filter((piece) => typeof piece === 'string').join(' ');
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname.replace(/^www\./, '') ?? '';
}
