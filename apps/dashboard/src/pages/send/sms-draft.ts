import type { SmsRequest, SmsTemplate } from '@signalbox/client';
import { countValues, parseTemplate, renderText } from '@signalbox/domain/sms/text';
import { type RecipientFile, type Recipients, onceEach } from '../../parts/recipients/recipients.ts';

/** A value of a template: the same for all, or a column of the file. */
export type ValueSource = { text: string } | { column: number };

/** An SMS as it is composed. */
export interface SmsDraft {
  typed: string;
  file: RecipientFile | undefined;
  leavesOutBad: boolean;
  sendsOnce: boolean;
  sender: string;
  type: SmsRequest['type'];
  template: SmsTemplate | undefined;
  values: readonly ValueSource[];
  text: string;
  links: readonly string[];
  shortens: boolean;
  isUnicode: boolean;
  isFlash: boolean;
  sendAt: string | undefined;
  expiresAt: string | undefined;
  ratePerSecond: number | undefined;
  campaignName: string;
  clientRef: string;
}

/** Changes members of a draft. */
export type ChangeDraft = (change: Partial<SmsDraft>) => void;

export const EMPTY_DRAFT: SmsDraft = {
  typed: '',
  file: undefined,
  leavesOutBad: false,
  sendsOnce: true,
  sender: '',
  type: 'TRANS',
  template: undefined,
  values: [],
  text: '',
  links: [],
  shortens: true,
  isUnicode: false,
  isFlash: false,
  sendAt: undefined,
  expiresAt: undefined,
  ratePerSecond: undefined,
  campaignName: '',
  clientRef: '',
};

/** A placeholder of a value: of a template, or of another service. */
const UNFILLED = /\{\{(?!shortUrl\d*\}\})[^{}]+\}\}|\{#[^#{}]+#\}/;

/** Twelve characters in place of the code of a short link. */
const SAMPLE_CODE = '4fQz0aB19xYk';

/** The change that removes the file, and the values from its columns. */
export function withoutFile({ values }: SmsDraft): Partial<SmsDraft> {
  return { file: undefined, values: values.map((value) => ('column' in value ? { text: '' } : value)) };
}

/** Numbers to send to, in order. */
export function chosenOf(
  recipients: Recipients,
  { sendsOnce }: Pick<SmsDraft, 'sendsOnce'>,
): Recipients['numbers'] {
  return sendsOnce ? onceEach(recipients.numbers) : recipients.numbers;
}

/** The text with the placeholders of values and links: of the template, or as typed. */
function patternOf({ template, text }: Pick<SmsDraft, 'template' | 'text'>): string {
  return template ? template.text : text;
}

/** The first placeholder of a text without a template, which every recipient would get as it is written. */
export function unfilledOf({ template, text }: Pick<SmsDraft, 'template' | 'text'>): string | undefined {
  return template ? undefined : UNFILLED.exec(text)?.[0];
}

/** Number of links that a draft needs addresses for. */
export function linksOf(draft: SmsDraft): number {
  const numbers = parseTemplate(patternOf(draft)).map((piece) =>
    typeof piece === 'object' && 'link' in piece ? piece.link : 0,
  );
  return draft.type === 'TRANS' ? Math.max(0, ...numbers) : 0;
}

/**
 * Renders the text of one recipient, with sample links.
 *
 * @param row the recipient's row of the file
 * @param unknown text for a value that is not there
 */
export function previewOf(
  draft: SmsDraft,
  row: number,
  origin: string,
  unknown: (n: number) => string = () => '',
): string {
  const { shortens, links } = draft;
  const linkAt = (link: number) => (shortens ? `${origin}/s/${SAMPLE_CODE}` : (links[link - 1] ?? ''));
  if (!draft.template && linksOf(draft) === 0) return draft.text;
  const pieces = parseTemplate(patternOf(draft)).map((piece) =>
    !draft.template && typeof piece === 'object' && 'value' in piece ? `{{${piece.value}}}` : piece,
  );
  const values = valuesOf(draft, row);
  const missing = Array.from({ length: countValues(pieces) }, (_, i) => values[i] || unknown(i + 1));
  return renderText(pieces, missing, linkAt);
}

/** The values of one recipient. */
function valuesOf({ values, file }: SmsDraft, row: number): string[] {
  return values.map((value) => ('text' in value ? value.text : (file?.rows[row]?.[value.column] ?? '')));
}

/** Builds the request of a draft, to the recipients that were read from it. */
export function requestOf(draft: SmsDraft, recipients: Recipients): SmsRequest {
  const numbers = chosenOf(recipients, draft);
  const { sender, type, isUnicode, isFlash, sendAt, expiresAt, ratePerSecond, campaignName, clientRef } =
    draft;
  return {
    ...(sender.trim() !== '' && { sender: sender.trim() }),
    to: numbers.map(({ digits }) => digits),
    type,
    ...contentOf(draft, numbers),
    ...linkData(draft),
    ...(isUnicode && { unicode: 1 }),
    ...(isFlash && { flash: 1 }),
    ...(sendAt !== undefined && { sendAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(ratePerSecond !== undefined && { ratePerSecond }),
    ...(campaignName.trim() !== '' && { campaignName: campaignName.trim() }),
    ...(clientRef.trim() !== '' && { clientRef: clientRef.trim() }),
  };
}

/** A template fills TRANS only; with another type its text is sent, and checked against it. */
function contentOf(draft: SmsDraft, numbers: Recipients['numbers']): Partial<SmsRequest> {
  const { template, type, text, values } = draft;
  if (!template) return { text };
  if (type !== 'TRANS') return { templateId: template.id, text: previewOf(draft, 0, '') };
  const differs = values.some((value) => 'column' in value);
  const custom = differs ? numbers.map(({ row }) => valuesOf(draft, row)) : valuesOf(draft, 0);
  return { templateId: template.id, custom };
}

function linkData(draft: SmsDraft): Partial<SmsRequest> {
  const count = linksOf(draft);
  if (count === 0) return {};
  const targetUrl = Array.from({ length: count }, (_, i) => draft.links[i]?.trim() ?? '');
  return { shortenUrlData: { shortenUrl: draft.shortens, targetUrl } };
}

/** Says what keeps a draft from being sent; undefined when nothing does. */
export function problemOf(draft: SmsDraft, recipients: Recipients, maximum: number): string | undefined {
  const count = chosenOf(recipients, draft).length;
  if (recipients.bad.length > 0 && !draft.leavesOutBad)
    return 'Correct the invalid numbers, or leave them out.';
  if (count === 0) return 'Name at least one recipient.';
  if (count > maximum)
    return `A send has at most ${maximum.toLocaleString()} recipients; these are ${count.toLocaleString()}.`;
  if (draft.sender.trim() === '' && !draft.template?.sender) return 'Name the sender.';
  if (!draft.template && draft.text.trim() === '') return 'Write the text.';
  if (draft.type !== 'TRANS' && draft.values.some((value) => 'column' in value))
    return 'Values that differ by recipient need the type Transactional.';
  return undefined;
}
