import { MAX_SMS_PARTS } from '@signalbox/domain/limits';
import type { SmsSize } from '@signalbox/domain/sms/parts';
import { type TextPiece, countLinks, parseLinks } from '@signalbox/domain/sms/text';
import { type Rule, type Violation, violation } from '@signalbox/domain/violation';

/**
 * Fields of POST /v1/sms that decide its variant: plain text, template with values, template with text, short links.
 */
export interface SmsVariant {
  type: string;
  templateId?: string;
  text?: string;
  custom?: unknown;
  shortenUrlData?: { targetUrl: string[] };
}

/**
 * Checks the fields of a variant together, except what needs the template.
 *
 * @param recipients their number; undefined when some are invalid
 */
export function checkVariant(request: SmsVariant, recipients: number | undefined): Violation[] {
  const { templateId, text, custom, shortenUrlData } = request;
  const fillsTemplate = templateId !== undefined && text === undefined;
  const violations =
    fillsTemplate || shortenUrlData
      ? checkType(request, fillsTemplate ? 'templateId without text' : 'shortenUrlData')
      : [];
  violations.push(...(fillsTemplate ? checkCustom(custom, recipients) : checkNoCustom(custom)));
  if (!shortenUrlData && typeof text === 'string' && text.includes('{{shortUrl'))
    violations.push(...checkNoLinks(text));
  if (shortenUrlData && typeof text === 'string')
    violations.push(...checkLinkPlaces(parseLinks(text), shortenUrlData.targetUrl, 'text'));
  return violations;
}

/** Refuses a link placeholder without `shortenUrlData`. */
function checkNoLinks(text: string): Violation[] {
  if (countLinks(parseLinks(text)) === 0) return [];
  const message = 'is required with {{shortUrl}} in the text, which would be sent as it stands';
  return [violation('shortenUrlData', 'required', message)];
}

/** Checks that a text has a placeholder for its links, and none beyond its target addresses. */
export function checkLinkPlaces(pieces: TextPiece[], targets: unknown, field: string): Violation[] {
  const links = countLinks(pieces);
  if (links === 0)
    return [
      violation(field, 'placeholder_missing', 'must hold {{shortUrl}} where the short link is to stand'),
    ];
  if (!Array.isArray(targets) || links <= targets.length) return [];
  const message = `must hold no {{shortUrl${links}}}: shortenUrlData.targetUrl has ${targets.length}`;
  return [violation(field, 'placeholder_unknown', message)];
}

export function tooManyParts(field: string, { parts, encoding }: SmsSize): Violation {
  return violation(
    field,
    'max_length',
    `must be at most ${MAX_SMS_PARTS} parts, and has ${parts} in ${encoding}`,
  );
}

/** True if `custom` has one list of values per recipient. */
export function isPerRecipient(custom: unknown[]): custom is string[][] {
  return Array.isArray(custom[0]);
}

function checkType({ type }: SmsVariant, variant: string): Violation[] {
  return type === 'TRANS' ? [] : [violation('type', 'not_allowed_value', `must be TRANS with ${variant}`)];
}

function checkNoCustom(custom: unknown): Violation[] {
  if (custom === undefined || (Array.isArray(custom) && custom.length === 0)) return [];
  const message = 'must be absent or empty unless there is a templateId and no text';
  return [violation('custom', 'not_applicable', message)];
}

function checkCustom(custom: unknown, recipients: number | undefined): Violation[] {
  const broken = (rule: Rule, message: string): Violation[] => [violation('custom', rule, message)];
  if (custom === undefined)
    return broken('required', 'is required with a templateId and no text; it may be empty');
  if (custom === null) return broken('null_not_allowed', 'must not be null');
  if (!Array.isArray(custom)) return broken('invalid_type', 'must be an array');
  if (!isPerRecipient(custom)) return checkValues(custom, 'custom');
  if (recipients !== undefined && custom.length !== recipients) {
    return broken('wrong_count', `must have one list per recipient: ${recipients}, and has ${custom.length}`);
  }
  return custom.flatMap((values: unknown, i) =>
    Array.isArray(values)
      ? checkValues(values, `custom[${i}]`)
      : [violation(`custom[${i}]`, 'invalid_type', 'must be an array')],
  );
}

function checkValues(values: unknown[], field: string): Violation[] {
  if (values.every((value) => typeof value === 'string')) return [];
  return values.flatMap((value, i) => {
    if (typeof value === 'string') return [];
    if (value === null) return [violation(`${field}[${i}]`, 'null_not_allowed', 'must not be null')];
    return [violation(`${field}[${i}]`, 'invalid_type', 'must be a string')];
  });
}
