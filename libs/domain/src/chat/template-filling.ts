import type { TemplatePiece } from '../templates/placeholders.ts';
import { type RenderedChat, renderHeader } from './message.ts';
import type { CompiledButton, CompiledTemplate, TemplateValues } from './template.ts';

/**
 * The values of one message for a provider that renders its templates itself. Such a provider numbers the placeholders
 * of each component from 1, so the values of a component are in the order in which its placeholders first occur.
 */
export interface TemplateFilling {
  /** Present when the header is a file, or a text with a value. */
  header?: NonNullable<RenderedChat['header']>;
  body: string[];
  /** Buttons that take a value, or that a provider wants named. */
  buttons: FilledButton[];
  cards: FilledCard[];
  /** The code of an AUTHENTICATION template, whose body and button it fills. */
  code?: string;
}

export interface FilledButton {
  /** Position among the buttons of its component, counted from 0. */
  index: number;
  type: string;
  text: string;
  values: string[];
}

export interface FilledCard {
  image: string;
  body: string[];
  buttons: FilledButton[];
}

/** Assigns the values of a message to the components of its template. */
export function fillTemplate(
  template: CompiledTemplate,
  { params, header, code }: TemplateValues,
): TemplateFilling {
  if (template.carriesCode) return { body: [], buttons: [], cards: [], code: code ?? '' };
  const filledHeader = fillHeader(template, header);
  return {
    ...(filledHeader && { header: filledHeader }),
    body: valuesOf(template.body, params),
    buttons: fillButtons(template.buttons, params),
    cards: (template.cards ?? []).map(({ image, body, buttons }) => ({
      image,
      body: valuesOf(body, params),
      buttons: fillButtons(buttons, params),
    })),
  };
}

/**
 * Numbers the placeholders of one component from 1, in the order in which they first occur: `Hi {{3}}` becomes `Hi
 * {{1}}`.
 */
export function renumber(pieces: readonly TemplatePiece[]): string {
  const order = distinctNumbers(pieces);
  return pieces
    .map((piece) => (typeof piece === 'number' ? `{{${order.indexOf(piece) + 1}}}` : piece))
    .join('');
}

/** Lists the placeholders of a component, each once, in the order in which they first occur. */
export function distinctNumbers(pieces: readonly TemplatePiece[]): number[] {
  return [...new Set(pieces.filter((piece) => typeof piece === 'number'))];
}

function fillHeader(
  { header }: CompiledTemplate,
  given: TemplateValues['header'],
): TemplateFilling['header'] | undefined {
  if (header === undefined || (header.type === 'text' && !header.isFilled)) return undefined;
  return given?.type === header.type ? renderHeader(given) : undefined;
}

function fillButtons(buttons: readonly CompiledButton[] = [], params: readonly string[]): FilledButton[] {
  return buttons.map(({ type, text = '', link = [] }, index) => ({
    index,
    type,
    text,
    values: valuesOf(link, params),
  }));
}

function valuesOf(pieces: readonly TemplatePiece[], params: readonly string[]): string[] {
  return distinctNumbers(pieces).map((number) => params[number - 1] ?? '');
}
