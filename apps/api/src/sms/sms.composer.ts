import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { SmsTemplate } from '@signalbox/database/templates/sms-template.entity';
import { MAX_SMS_PARTS } from '@signalbox/domain/limits';
import { SHORT_CODE_LENGTH } from '@signalbox/domain/links/short-code';
import { MAX_SMS_LENGTH, countParts } from '@signalbox/domain/sms/parts';
import { matchesTemplate } from '@signalbox/domain/sms/template';
import {
  type TextPiece,
  countLinks,
  countValues,
  fillPieces,
  lengthOf,
  parseLinks,
  parseTemplate,
  renderText,
} from '@signalbox/domain/sms/text';
import { type Violation, violation } from '@signalbox/domain/violation';
import { ApiConfig } from '../config.ts';
import { ApiError, MAX_VIOLATIONS, invalidRequest } from '../errors/api-error.ts';
import { SmsTemplateCache } from '../sms-templates/sms-template-cache.ts';
import { checkLinkPlaces, isPerRecipient, tooManyParts } from './sms-variant.ts';
import type { SmsRequest } from './sms.dto.ts';

/** The content of a request, and its cost. */
export interface ComposedSms {
  sender: string;
  /** One piece of plain text, unless the text differs by recipient. */
  pieces: TextPiece[];
  links: { base: string; targets: string[] } | undefined;
  /** Values of each recipient; null when the text has none. */
  custom: string[][] | null;
  template: SmsTemplate | undefined;
  /** Parts of every message; `creditsEach` is set when they differ. */
  credits: number;
  creditsEach: number[] | null;
}

/** Texts that are counted in one event-loop tick: a bulk of long texts must not keep other requests waiting. */
const TEXTS_PER_TICK = 200;

/** A code with the length of a real one, for counting parts. */
const SAMPLE_CODE = 'X'.repeat(SHORT_CODE_LENGTH);

/** Composes the text of a request, or of the template that it names, with values and links. */
@Injectable()
export class SmsComposer {
  private readonly linkBase: string;

  constructor(
    private readonly templates: SmsTemplateCache,
    config: ApiConfig,
  ) {
    this.linkBase = `${config.PUBLIC_URL}/s/`;
  }

  /**
   * Returns a promise only for a request with a template or links.
   *
   * @throws ApiError sms_template_not_found, invalid_request, template_parameters_mismatch
   */
  compose(accountId: string, request: SmsRequest): ComposedSms | Promise<ComposedSms> {
    const { sender, text, templateId, shortenUrlData } = request;
    if (templateId === undefined && !shortenUrlData) {
      return {
        sender: sender!,
        pieces: [text!],
        links: undefined,
        custom: null,
        template: undefined,
        credits: request.credits,
        creditsEach: null,
      };
    }
    return this.composeFrom(accountId, request);
  }

  private async composeFrom(accountId: string, request: SmsRequest): Promise<ComposedSms> {
    const { templateId } = request;
    const template = templateId === undefined ? undefined : await this.findTemplate(accountId, templateId);
    const composed = this.fill(request, template);
    return { ...composed, ...(await this.price(request, composed)) };
  }

  /** Renders the text of one recipient, with sample links. */
  preview(
    { pieces, links, custom }: Pick<ComposedSms, 'pieces' | 'links' | 'custom'>,
    recipient: number,
  ): string {
    return renderText(pieces, custom?.[recipient] ?? [], () => `${links?.base}${SAMPLE_CODE}`);
  }

  private async findTemplate(accountId: string, templateId: string): Promise<SmsTemplate> {
    const template = await this.templates.find(accountId, templateId);
    if (!template) throw new ApiError('sms_template_not_found');
    return template;
  }

  private fill(
    request: SmsRequest,
    template: SmsTemplate | undefined,
  ): Omit<ComposedSms, 'credits' | 'creditsEach'> {
    const { text, shortenUrlData } = request;
    const fillsTemplate = text === undefined;
    const pieces = fillsTemplate
      ? parseTemplate(template!.text)
      : piecesOf(text, shortenUrlData !== undefined);
    const violations = template
      ? [...checkTemplate(request, template), ...checkLinks(request, parseTemplate(template.text))]
      : [];
    if (violations.length > 0) throw invalidRequest(violations);
    const custom = fillsTemplate ? (request.custom as string[] | string[][]) : [];
    if (fillsTemplate) requireValues(custom, countValues(pieces));
    const hasOwnValues = isPerRecipient(custom) && countValues(pieces) > 0;
    const { targetUrl, shortenUrl } = shortenUrlData ?? { targetUrl: [], shortenUrl: false };
    const areShortened = shortenUrl && countLinks(pieces) > 0;
    const targets = areShortened ? targetUrl.map((url) => new URL(url).href) : targetUrl;
    const linkLengths = targets.map((url) =>
      areShortened ? this.linkBase.length + SAMPLE_CODE.length : url.length,
    );
    requireLength(lengthOf(pieces, linkLengths), fillsTemplate ? 'templateId' : 'text');
    return {
      sender: request.sender ?? template!.sender!,
      pieces: fillPieces(pieces, hasOwnValues ? null : (custom as string[]), areShortened ? null : targets),
      links: areShortened ? { base: this.linkBase, targets } : undefined,
      custom: hasOwnValues ? custom : null,
      template,
    };
  }

  /** Counts the parts of each message. Links have equal lengths, so only values make the counts differ. */
  private async price(
    request: SmsRequest,
    composed: Omit<ComposedSms, 'credits' | 'creditsEach'>,
  ): Promise<Pick<ComposedSms, 'credits' | 'creditsEach'>> {
    const count = composed.custom?.length ?? 1;
    const violations: Violation[] = [];
    const creditsEach: number[] = [];
    while (creditsEach.length < count) {
      if (creditsEach.length > 0) await setImmediate();
      const end = Math.min(count, creditsEach.length + TEXTS_PER_TICK);
      for (let i = creditsEach.length; i < end; i += 1)
        creditsEach.push(this.partsOf(request, composed, i, violations));
    }
    if (violations.length > 0) throw invalidRequest(violations);
    const [credits = 1] = creditsEach;
    return { credits, creditsEach: creditsEach.every((each) => each === credits) ? null : creditsEach };
  }

  /** Counts the parts of the text of one recipient, and reports one that cannot be sent. */
  private partsOf(
    { text: given, unicode }: SmsRequest,
    composed: Omit<ComposedSms, 'credits' | 'creditsEach'>,
    recipient: number,
    violations: Violation[],
  ): number {
    const text = this.preview(composed, recipient);
    const size = countParts(text, unicode === 1);
    const isTooLong = size.parts > MAX_SMS_PARTS;
    if (!isTooLong && /\S/.test(text)) return size.parts;
    const field = given === undefined ? 'custom' : 'text';
    const at = composed.custom ? `custom[${recipient}]` : field;
    const blank = violation(at, 'blank', 'must not leave the text blank');
    violations.push(isTooLong ? tooManyParts(at, size) : blank);
    return size.parts;
  }
}

const OTHER_TEXT = 'must be the text of the template, with values in the place of its variables';

function piecesOf(text: string, hasLinks: boolean): TextPiece[] {
  return hasLinks ? parseLinks(text) : [text];
}

function checkTemplate({ sender, text, type }: SmsRequest, template: SmsTemplate): Violation[] {
  const lacksSender = sender === undefined && template.sender === null;
  const isOtherType = template.type !== null && template.type !== type;
  const isOtherText = text !== undefined && !matchesTemplate(template.text, text);
  return [
    ...(lacksSender ? [violation('sender', 'required', 'is required, since the template has none')] : []),
    ...(isOtherType
      ? [violation('type', 'template_mismatch', `must be ${template.type}, as that of the template`)]
      : []),
    ...(isOtherText ? [violation('text', 'template_mismatch', OTHER_TEXT)] : []),
  ];
}

/** Checks the link placeholders of a template; those of a text are checked with the request. */
function checkLinks({ text, shortenUrlData }: SmsRequest, pieces: TextPiece[]): Violation[] {
  if (shortenUrlData)
    return text === undefined ? checkLinkPlaces(pieces, shortenUrlData.targetUrl, 'templateId') : [];
  if (countLinks(pieces) === 0) return [];
  return [violation('shortenUrlData', 'required', 'is required, since the template has short links')];
}

/** Refuses a text that is too long whatever its values. Filled in, it could take hundreds of megabytes. */
function requireLength(length: number, field: string): void {
  if (length <= MAX_SMS_LENGTH) return;
  const message = `must be at most ${MAX_SMS_LENGTH} characters with its links filled in, and has ${length}`;
  throw invalidRequest([violation(field, 'max_length', message)]);
}

function requireValues(custom: string[] | string[][], wanted: number): void {
  const lists = isPerRecipient(custom) ? custom : [custom as string[]];
  const details = lists.flatMap((values, i): Violation[] => {
    if (values.length === wanted) return [];
    const field = isPerRecipient(custom) ? `custom[${i}]` : 'custom';
    const message = `must have ${wanted} values, one per variable of the template, and has ${values.length}`;
    return [violation(field, 'wrong_count', message)];
  });
  if (details.length === 0) return;
  const message = `${details[0]!.field} ${details[0]!.message}`;
  throw new ApiError('template_parameters_mismatch', message, { details: details.slice(0, MAX_VIOLATIONS) });
}
