import { distinctNumbers } from '@signalbox/domain/chat/template-filling';
import { type RenderedChat } from '@signalbox/domain/chat/message';
import { compileTemplate, renderTemplate } from '@signalbox/domain/chat/template';
import { MAX_PLACEHOLDERS, parsePlaceholders } from '@signalbox/domain/templates/placeholders';
import type {
  Category,
  TemplateButton,
  TemplateCard,
  TemplateComponent,
} from '@signalbox/domain/templates/template';

/** Content of a header. */
export type HeaderFormat = 'NONE' | 'TEXT' | 'IMAGE' | 'VIDEO' | 'DOCUMENT';

/** A button while it is edited: every field is there, and empty when its type does not have it. */
export interface DraftButton {
  /** Keeps the field of a button in place while others move. */
  key: string;
  type: string;
  text: string;
  url: string;
  phone_number: string;
  otp_type: string;
  flow_id: string;
}

/** A card of a carousel while it is edited. */
export interface DraftCard {
  key: string;
  image: string;
  body: string;
  footer: string;
  buttons: DraftButton[];
}

/** A template while it is edited. */
export interface Draft {
  name: string;
  category: Category;
  language: string;
  chatAccountId: string;
  allowCategoryChange: boolean;
  codeMinutes: number | null;
  headerFormat: HeaderFormat;
  headerText: string;
  headerExample: string;
  /** Handle of the uploaded file. */
  headerHandle: string;
  body: string;
  footer: string;
  buttons: DraftButton[];
  cards: DraftCard[];
  /** Values of {{1}}, {{2}} and so on in the preview and for the reviewer. */
  examples: string[];
}

export const EMPTY: Draft = {
  name: '',
  category: 'UTILITY',
  language: 'en',
  chatAccountId: '',
  allowCategoryChange: false,
  codeMinutes: null,
  headerFormat: 'NONE',
  headerText: '',
  headerExample: '',
  headerHandle: '',
  body: '',
  footer: '',
  buttons: [],
  cards: [],
  examples: [],
};

const SAMPLE_CODE = '123456';

let lastKey = 0;

/** Makes a button of a type. */
export function newButton(type: string, given: Partial<DraftButton> = {}): DraftButton {
  lastKey += 1;
  const otp_type = type === 'OTP' ? 'COPY_CODE' : '';
  return { key: `b${lastKey}`, type, text: '', url: '', phone_number: '', flow_id: '', otp_type, ...given };
}

export function newCard(given: Partial<DraftCard> = {}): DraftCard {
  lastKey += 1;
  return { key: `c${lastKey}`, image: '', body: '', footer: '', buttons: [], ...given };
}

/** Lists the numbers of the placeholders of a draft, of body, cards and buttons together. */
export function numbersOf({ body, cards, buttons }: Draft): number[] {
  const urls = (all: readonly DraftButton[]): string[] => all.map(({ url }) => url);
  const texts = [body, ...cards.flatMap((card) => [card.body, ...urls(card.buttons)]), ...urls(buttons)];
  const numbers = texts.flatMap((text) => distinctNumbers(parsePlaceholders(text) ?? []));
  return [...new Set(numbers)].filter((number) => number <= MAX_PLACEHOLDERS).toSorted((a, b) => a - b);
}

/** True for a text header with a placeholder. */
export function hasHeaderValue({ headerFormat, headerText }: Draft): boolean {
  return (
    headerFormat === 'TEXT' &&
    (parsePlaceholders(headerText) ?? []).some((piece) => typeof piece === 'number')
  );
}

/** Builds the components of a draft: header, body, footer, buttons, cards, in this order. */
export function componentsOf(draft: Draft): TemplateComponent[] {
  const { footer, buttons, cards } = draft;
  return [
    ...headerOf(draft),
    bodyOf(draft),
    ...(footer.trim() === '' ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(buttons.length === 0 ? [] : [{ type: 'BUTTONS', buttons: buttons.map(buttonOf) }]),
    ...(cards.length === 0 ? [] : [{ type: 'CAROUSEL', cards: cards.map(cardOf) }]),
  ];
}

function headerOf(draft: Draft): TemplateComponent[] {
  const { headerFormat: format, headerText: text, headerHandle, headerExample } = draft;
  if (format === 'NONE') return [];
  if (format !== 'TEXT')
    return [
      { type: 'HEADER', format, example: headerHandle === '' ? {} : { header_handle: [headerHandle] } },
    ];
  const hasExample = hasHeaderValue(draft) && headerExample !== '';
  return [{ type: 'HEADER', format, text, ...(hasExample && { example: { header_text: [headerExample] } }) }];
}

function bodyOf(draft: Draft): TemplateComponent {
  const values = numbersOf(draft).map((number) => draft.examples[number - 1] ?? '');
  const isZeroTap = draft.buttons.some(({ otp_type }) => otp_type === 'ZERO_TAP');
  const isGiven = values.length > 0 && (isZeroTap || values.every((value) => value !== ''));
  return { type: 'BODY', text: draft.body, ...(isGiven && { example: { body_text: [values] } }) };
}

const FIELDS: Readonly<Record<string, readonly (keyof TemplateButton & keyof DraftButton)[]>> = {
  PHONE_NUMBER: ['text', 'phone_number'],
  URL: ['text', 'url'],
  OTP: ['otp_type'],
  CATALOG: ['text'],
  CATALOG_ITEM: [],
  FLOW: ['text', 'flow_id'],
  ORDER_DETAILS: ['text'],
  QUICK_REPLY: ['text'],
};

/** Names the fields that a button of a type has. A label is optional where it is not among them. */
function fieldsOf(type: string): readonly (keyof DraftButton)[] {
  return FIELDS[type] ?? [];
}

function buttonOf(button: DraftButton): TemplateButton {
  const given = fieldsOf(button.type).map((name) => [name, button[name]]);
  const label = button.text === '' ? {} : { text: button.text };
  return { type: button.type, ...Object.fromEntries(given), ...label };
}

function cardOf({ image, body, footer, buttons }: DraftCard): TemplateCard {
  return {
    header: { type: 'IMAGE', image_url: image },
    body,
    ...(footer.trim() !== '' && { footer }),
    ...(buttons.length > 0 && { buttons: buttons.map(buttonOf) }),
  };
}

/** Renders a draft as the phone shows it, with its examples; a placeholder without one is shown as it is written. */
export function renderDraft(draft: Draft): RenderedChat {
  const components = componentsOf(draft);
  const { category, allowCategoryChange, codeMinutes, examples } = draft;
  const values = Array.from({ length: MAX_PLACEHOLDERS }, (_, i) => examples[i] || `{{${i + 1}}}`);
  const template = compileTemplate({
    category,
    components,
    allowCategoryChange,
    codeExpirationMinutes: codeMinutes,
  });
  const text = draft.headerExample || '{{1}}';
  return renderTemplate(template, {
    params: values,
    header: { type: 'text', text },
    code: examples[0] || SAMPLE_CODE,
  });
}

/** The stored fields of a template that the editor reads. */
export interface StoredTemplate {
  name: string;
  category: Category;
  language: string;
  chatAccountId: number;
  components: readonly object[];
  allow_category_change?: boolean;
  code_expiration_minutes?: number;
}

/** Opens a stored template in the editor. */
export function draftOf(template: StoredTemplate): Draft {
  const of = (type: string): TemplateComponent | undefined =>
    (template.components as readonly TemplateComponent[]).find((component) => component.type === type);
  const [header, body] = [of('HEADER'), of('BODY')];
  return {
    name: template.name,
    category: template.category,
    language: template.language,
    chatAccountId: String(template.chatAccountId),
    allowCategoryChange: template.allow_category_change ?? false,
    codeMinutes: template.code_expiration_minutes ?? null,
    headerFormat: (header?.format as HeaderFormat | undefined) ?? 'NONE',
    headerText: header?.text ?? '',
    headerExample: header?.example?.header_text?.[0] ?? '',
    headerHandle: header?.example?.header_handle?.[0] ?? '',
    body: body?.text ?? '',
    footer: of('FOOTER')?.text ?? '',
    buttons: (of('BUTTONS')?.buttons ?? []).map(draftButton),
    cards: (of('CAROUSEL')?.cards ?? []).map(draftCard),
    examples: [...(body?.example?.body_text?.[0] ?? body?.body_params ?? [])],
  };
}

function draftButton(button: TemplateButton): DraftButton {
  return newButton(button.type, button);
}

function draftCard({ header, body, footer = '', buttons = [] }: TemplateCard): DraftCard {
  return newCard({ image: header.image_url, body, footer, buttons: buttons.map(draftButton) });
}

/** The request that creates a draft. */
export function creationOf(draft: Draft) {
  const { name, language, chatAccountId, codeMinutes } = draft;
  return {
    name,
    language,
    chatAccountId: Number(chatAccountId),
    ...contentOf(draft),
    ...(codeMinutes !== null && { code_expiration_minutes: codeMinutes }),
  };
}

/** The fields of an edit. The category and options are sent with the components, because they are checked together. */
export function editOf(id: string, draft: Draft) {
  return { id, ...contentOf(draft), code_expiration_minutes: draft.codeMinutes };
}

function contentOf(draft: Draft) {
  const { category, allowCategoryChange } = draft;
  return {
    category,
    components: componentsOf(draft) as { type: 'BODY' }[],
    allow_category_change: allowCategoryChange,
  };
}
