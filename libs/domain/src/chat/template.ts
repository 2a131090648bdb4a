import { type ChatHeader, type RenderedButton, type RenderedChat, renderHeader } from './message.ts';
import type {
  TemplateButton,
  TemplateCard,
  TemplateComponent,
  TemplateContent,
} from '../templates/template.ts';
import { type TemplatePiece, parsePlaceholders } from '../templates/placeholders.ts';
import { type FileKind, fileKindOf } from '../media/file-kind.ts';

/** A parsed version of a template, ready to be checked and rendered any number of times. */
export interface CompiledTemplate {
  /** Number of values, without the code of an AUTHENTICATION template and the value of the header. */
  paramCount: number;
  /** True for an AUTHENTICATION template: a code fills `{{1}}` and the button. */
  carriesCode: boolean;
  /** Minutes until the code expires; null if the template does not set them. */
  codeMinutes: number | null;
  header: CompiledHeader | undefined;
  body: readonly TemplatePiece[];
  footer: string | undefined;
  buttons: readonly CompiledButton[] | undefined;
  cards: readonly CompiledCard[] | undefined;
}

/** Text header, which may take a value, or media header, which takes a file with each send. */
export type CompiledHeader =
  | { type: 'text'; pieces: readonly TemplatePiece[]; isFilled: boolean }
  | { type: FileKind; handle: string };

/** A button, with its address parsed. */
export interface CompiledButton extends TemplateButton {
  link: readonly TemplatePiece[] | undefined;
}

interface CompiledCard {
  image: string;
  body: readonly TemplatePiece[];
  footer: string | undefined;
  buttons: readonly CompiledButton[];
}

/** Default labels of OTP buttons. */
const OTP_BUTTON_TEXTS: Readonly<Record<string, string>> = {
  COPY_CODE: 'Copy code',
  AUTO_FILL: 'Autofill',
  ZERO_TAP: '',
};

/** Parses a version of a template. Placeholders are numbered across the body, the cards and the buttons. */
export function compileTemplate({
  category,
  components,
  codeExpirationMinutes,
}: TemplateContent): CompiledTemplate {
  const of = (type: string): TemplateComponent | undefined =>
    components.find((component) => component.type === type);
  const carriesCode = category === 'AUTHENTICATION';
  const body = piecesOf(of('BODY')?.text);
  const buttons = of('BUTTONS')?.buttons?.map(compileButton);
  const cards = of('CAROUSEL')?.cards?.map(compileCard);
  const texts = [
    body,
    ...linksOf(buttons),
    ...(cards ?? []).flatMap((card) => [card.body, ...linksOf(card.buttons)]),
  ];
  return {
    paramCount: carriesCode ? 0 : Math.max(0, ...texts.flat().filter((piece) => typeof piece === 'number')),
    carriesCode,
    codeMinutes: codeExpirationMinutes,
    header: compileHeader(of('HEADER')),
    body,
    footer: of('FOOTER')?.text ?? expiryFooter(codeExpirationMinutes),
    buttons,
    cards,
  };
}

/** Values of one message. */
export interface TemplateValues {
  params: readonly string[];
  header?: ChatHeader | undefined;
  /** The code of an AUTHENTICATION template. */
  code?: string | undefined;
}

/** Renders a template in one pass: a value that looks like a placeholder is not filled in. */
export function renderTemplate(
  template: CompiledTemplate,
  { params, header, code }: TemplateValues,
): RenderedChat {
  const values = template.carriesCode ? [code ?? ''] : params;
  const shownHeader = renderTemplateHeader(template.header, header);
  return {
    ...(shownHeader && { header: shownHeader }),
    body: fill(template.body, values),
    ...(template.footer !== undefined && { footer: template.footer }),
    ...(template.buttons && {
      buttons: template.buttons.map((button) => renderButton(button, values, code)),
    }),
    ...(template.cards && { cards: template.cards.map((card) => renderCard(card, values)) }),
  };
}

function piecesOf(text: string | undefined): readonly TemplatePiece[] {
  return text === undefined ? [] : (parsePlaceholders(text) ?? [text]);
}

function linksOf(buttons: readonly CompiledButton[] = []): readonly TemplatePiece[][] {
  return buttons.map(({ link }) => [...(link ?? [])]);
}

function compileButton(button: TemplateButton): CompiledButton {
  return { ...button, link: button.url === undefined ? undefined : piecesOf(button.url) };
}

function compileCard({ header, body, footer, buttons = [] }: TemplateCard): CompiledCard {
  return { image: header.image_url, body: piecesOf(body), footer, buttons: buttons.map(compileButton) };
}

function compileHeader(header: TemplateComponent | undefined): CompiledHeader | undefined {
  if (header === undefined) return undefined;
  const type = fileKindOf(header.format);
  if (type !== undefined) return { type, handle: header.example?.header_handle?.[0] ?? '' };
  const pieces = piecesOf(header.text);
  return { type: 'text', pieces, isFilled: pieces.some((piece) => typeof piece === 'number') };
}

/** The default footer of a template with an expiry. */
function expiryFooter(minutes: number | null): string | undefined {
  if (minutes === null) return undefined;
  return `This code expires in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
}

function renderTemplateHeader(
  header: CompiledHeader | undefined,
  given: ChatHeader | undefined,
): RenderedChat['header'] {
  if (header === undefined) return undefined;
  if (header.type === 'text') return { type: 'text', text: fill(header.pieces, [given?.text ?? '']) };
  return given?.type === header.type ? renderHeader(given) : header;
}

function renderButton(
  { type, text, phone_number, flow_id, otp_type, link }: CompiledButton,
  values: readonly string[],
  code: string | undefined,
): RenderedButton {
  return {
    type,
    text: text ?? OTP_BUTTON_TEXTS[otp_type ?? ''] ?? '',
    ...(link && { url: fill(link, values) }),
    ...(phone_number !== undefined && { phone_number }),
    ...(flow_id !== undefined && { flow_id }),
    ...(otp_type !== undefined && { otp_type }),
    ...(type === 'OTP' && code !== undefined && { code }),
  };
}

function renderCard(
  { image, body, footer, buttons }: CompiledCard,
  values: readonly string[],
): NonNullable<RenderedChat['cards']>[number] {
  const shown = buttons.map((button) => renderButton(button, values, undefined));
  return { image, body: fill(body, values), ...(footer !== undefined && { footer }), buttons: shown };
}

function fill(pieces: readonly TemplatePiece[], values: readonly string[]): string {
  return pieces.map((piece) => (typeof piece === 'number' ? (values[piece - 1] ?? '') : piece)).join('');
}
