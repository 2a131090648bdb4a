import { MAX_SMS_PARTS } from '@signalbox/domain/limits';
import type { SmsSize } from '@signalbox/domain/sms/parts';
import { type TextPiece, countLinks, parseLinks } from '@signalbox/domain/sms/text';
import type { Violation } from '@signalbox/domain/violation';
import type { SmsRequest } from './sms.dto.ts';

/**
 * What the variants of POST /v1/sms ask of their fields together (spec 4.8), as far as it can be told without the template.
 *
 * @param isCounted whether all recipients are good, so that their number is known
 */
export function checkVariant(request: SmsRequest, isCounted: boolean): Violation[] {
  const { templateId, text, custom, shortenUrlData } = request;
  const isFilled = templateId !== undefined && text === undefined;
  const violations =
    isFilled || shortenUrlData
      ? checkType(request, isFilled ? 'templateId without text' : 'shortenUrlData')
      : [];
  violations.push(
    ...(isFilled
      ? checkCustom(custom, isCounted ? request.recipients.length : undefined)
      : checkNoCustom(custom)),
  );
  if (shortenUrlData && typeof text === 'string')
    violations.push(...checkLinkPlaces(parseLinks(text), shortenUrlData.targetUrl, 'text'));
  return violations;
}

/** A text that asks for links must have places for them, and not for more than there are addresses. */
export function checkLinkPlaces(pieces: TextPiece[], targets: unknown, field: string): Violation[] {
  const links = countLinks(pieces);
  if (links === 0)
    return [
      {
        field,
        rule: 'placeholder_missing',
        message: 'must hold {{shortUrl}} where the short link is to stand',
      },
    ];
  if (!Array.isArray(targets) || links <= targets.length) return [];
  return [
    {
      field,
      rule: 'placeholder_unknown',
      message: `must hold no {{shortUrl${links}}}: shortenUrlData.targetUrl has ${targets.length}`,
    },
  ];
}

export function tooManyParts(field: string, { parts, encoding }: SmsSize): Violation {
  return {
    field,
    rule: 'max_length',
    message: `must be at most ${MAX_SMS_PARTS} parts, and has ${parts} in ${encoding}`,
  };
}

/** Whether values are given per recipient: a list of lists. */
export function isPerRecipient(custom: unknown[]): custom is string[][] {
  return Array.isArray(custom[0]);
}

function checkType({ type }: SmsRequest, variant: string): Violation[] {
  return type === 'TRANS'
    ? []
    : [{ field: 'type', rule: 'not_allowed_value', message: `must be TRANS with ${variant}` }];
}

function checkNoCustom(custom: unknown): Violation[] {
  if (custom === undefined || (Array.isArray(custom) && custom.length === 0)) return [];
  return [
    {
      field: 'custom',
      rule: 'not_applicable',
      message: 'must be absent or empty unless there is a templateId and no text',
    },
  ];
}

function checkCustom(custom: unknown, recipients: number | undefined): Violation[] {
  const violation = (rule: string, message: string): Violation[] => [{ field: 'custom', rule, message }];
  if (custom === undefined)
    return violation('required', 'is required with a templateId and no text; it may be empty');
  if (custom === null) return violation('null_not_allowed', 'must not be null');
  if (!Array.isArray(custom)) return violation('invalid_type', 'must be an array');
  if (!isPerRecipient(custom)) return checkValues(custom, 'custom');
  if (recipients !== undefined && custom.length !== recipients) {
    return violation(
      'wrong_count',
      `must have one list per recipient: ${recipients}, and has ${custom.length}`,
    );
  }
  return custom.flatMap((values: unknown, i) =>
    Array.isArray(values)
      ? checkValues(values, `custom[${i}]`)
      : [{ field: `custom[${i}]`, rule: 'invalid_type', message: 'must be an array' }],
  );
}

function checkValues(values: unknown[], field: string): Violation[] {
  return values.flatMap((value, i) => {
    if (typeof value === 'string') return [];
    if (value === null)
      return [{ field: `${field}[${i}]`, rule: 'null_not_allowed', message: 'must not be null' }];
    return [{ field: `${field}[${i}]`, rule: 'invalid_type', message: 'must be a string' }];
  });
}
