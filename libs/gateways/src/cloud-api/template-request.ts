import { distinctNumbers, renumber } from '@signalbox/domain/chat/template-filling';
import { fileKindOf } from '@signalbox/domain/media/file-kind';
import { type TemplatePiece, parsePlaceholders } from '@signalbox/domain/templates/placeholders';
import type {
  TemplateButton,
  TemplateCard,
  TemplateComponent,
  TemplateContent,
} from '@signalbox/domain/templates/template';
import type { JsonObject } from './json.ts';
import type { OtpAppSettings } from './settings.ts';

/** Longest time for which Meta tries to deliver a code. */
const MAX_CODE_TTL_SECONDS = 900;

/** Facts that a registration needs in addition to the content. */
export interface RequestFacts {
  /** Handles that Meta gave the sample files: by our handle of a header, or by the address of a card's image. */
  handles: ReadonlyMap<string, string>;
  otpApp?: OtpAppSettings | undefined;
}

/** Lists the sample files of a template: our handle of its header, and the addresses of the images of its cards. */
export function sampleFiles(components: readonly TemplateComponent[]): {
  header: string | undefined;
  links: string[];
} {
  const media = components.find(({ format }) => fileKindOf(format) !== undefined);
  const cards = components.flatMap(({ cards: own = [] }) => own);
  return {
    header: media?.example?.header_handle?.[0],
    links: [...new Set(cards.map(({ header }) => header.image_url))],
  };
}

/**
 * Builds the components, and the fields that go with them, as Meta registers them: each component numbers its
 * placeholders from 1 and shows samples. Meta writes the text of AUTHENTICATION templates itself.
 */
export function templateContent(content: TemplateContent, facts: RequestFacts): JsonObject {
  const { category, components, codeExpirationMinutes } = content;
  if (category !== 'AUTHENTICATION')
    return { components: components.map((each) => componentOf(each, facts, components)) };
  return {
    components: codeComponents(content, facts),
    ...(codeExpirationMinutes !== null && {
      message_send_ttl_seconds: Math.min(codeExpirationMinutes * 60, MAX_CODE_TTL_SECONDS),
    }),
  };
}

function codeComponents(
  { components, codeExpirationMinutes }: TemplateContent,
  { otpApp }: RequestFacts,
): JsonObject[] {
  const body = components.find(({ type }) => type === 'BODY')?.text ?? '';
  const button = components.flatMap(({ buttons = [] }) => buttons)[0];
  return [
    { type: 'BODY', add_security_recommendation: /\bshare\b/i.test(body) },
    ...(codeExpirationMinutes === null
      ? []
      : [{ type: 'FOOTER', code_expiration_minutes: codeExpirationMinutes }]),
    { type: 'BUTTONS', buttons: [otpButton(button, otpApp)] },
  ];
}

const OTP_TYPES: Readonly<Record<string, string>> = {
  COPY_CODE: 'COPY_CODE',
  AUTO_FILL: 'ONE_TAP',
  ZERO_TAP: 'ZERO_TAP',
};

/** Without an app that takes the code, the button copies it. */
function otpButton(button: TemplateButton | undefined, app: OtpAppSettings | undefined): JsonObject {
  const otp_type = app ? (OTP_TYPES[button?.otp_type ?? 'ZERO_TAP'] ?? 'COPY_CODE') : 'COPY_CODE';
  const text = button?.text;
  return {
    type: 'OTP',
    otp_type,
    ...(text !== undefined && { text }),
    ...(otp_type !== 'COPY_CODE' &&
      app && { supported_apps: [{ package_name: app.packageName, signature_hash: app.signatureHash }] }),
    ...(otp_type === 'ZERO_TAP' && { zero_tap_terms_accepted: true }),
  };
}

function componentOf(
  component: TemplateComponent,
  facts: RequestFacts,
  all: readonly TemplateComponent[],
): JsonObject {
  const { type, text = '', buttons = [], cards = [] } = component;
  const samples = samplesOf(all);
  switch (type) {
    case 'HEADER':
      return headerOf(component, facts);
    case 'BODY':
      return { type, ...filledText(text, samples, 'body_text') };
    case 'BUTTONS':
      return { type, buttons: buttons.map((button) => buttonOf(button, samples)) };
    case 'CAROUSEL':
      return { type, cards: cards.map((card) => cardOf(card, samples, facts)) };
    default:
      return { type, text };
  }
}

function headerOf(
  { format = 'TEXT', text = '', example }: TemplateComponent,
  facts: RequestFacts,
): JsonObject {
  if (format === 'TEXT')
    return { type: 'HEADER', format, ...filledText(text, example?.header_text, 'header_text') };
  return { type: 'HEADER', format, ...sampleFile(facts, example?.header_handle?.[0]) };
}

function sampleFile({ handles }: RequestFacts, key = ''): JsonObject {
  const handle = handles.get(key);
  return handle === undefined ? {} : { example: { header_handle: [handle] } };
}

/** The media card of a carousel has no footer at Meta. */
function cardOf(
  { header, body, buttons = [] }: TemplateCard,
  samples: string[],
  facts: RequestFacts,
): JsonObject {
  return {
    components: [
      { type: 'HEADER', format: header.type, ...sampleFile(facts, header.image_url) },
      { type: 'BODY', ...filledText(body, samples, 'body_text') },
      ...(buttons.length > 0
        ? [{ type: 'BUTTONS', buttons: buttons.map((button) => buttonOf(button, samples)) }]
        : []),
    ],
  };
}

const BUTTON_TYPES: Readonly<Record<string, string>> = { CATALOG_ITEM: 'SPM' };

function buttonOf({ type, text, phone_number, url, flow_id }: TemplateButton, samples: string[]): JsonObject {
  const pieces = url === undefined ? [] : piecesOf(url);
  const isFilled = distinctNumbers(pieces).length > 0;
  return {
    type: BUTTON_TYPES[type] ?? type,
    ...(text !== undefined && { text }),
    ...(phone_number !== undefined && { phone_number: `+${phone_number.replace(/^\+/, '')}` }),
    ...(url !== undefined && { url: renumber(pieces) }),
    ...(isFilled && { example: [fill(pieces, samples)] }),
    ...(flow_id !== undefined && { flow_id }),
  };
}

/** A text with its placeholders numbered from 1, and a sample for each. */
function filledText(
  text: string,
  samples: string[] | undefined,
  member: 'body_text' | 'header_text',
): JsonObject {
  const pieces = piecesOf(text);
  const numbers = distinctNumbers(pieces);
  if (numbers.length === 0) return { text };
  const values = numbers.map((number) => sampleOf(number, samples));
  return {
    text: renumber(pieces),
    example: { [member]: member === 'body_text' ? [values] : values },
  };
}

/** The samples of the whole template, in the order of its placeholders. */
function samplesOf(components: readonly TemplateComponent[]): string[] {
  const body = components.find(({ type }) => type === 'BODY');
  return body?.example?.body_text?.[0] ?? body?.body_params ?? [];
}

function sampleOf(number: number, samples: string[] = []): string {
  return samples[number - 1] || `sample ${number}`;
}

function fill(pieces: readonly TemplatePiece[], samples: string[]): string {
  return pieces
    .map((piece) => (typeof piece === 'number' ? encodeURIComponent(sampleOf(piece, samples)) : piece))
    .join('');
}

function piecesOf(text: string): readonly TemplatePiece[] {
  return parsePlaceholders(text) ?? [text];
}
