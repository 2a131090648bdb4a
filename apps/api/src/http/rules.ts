import { applyDecorators } from '@nestjs/common';
import { isUserId } from '@signalbox/domain/chat/user-id';
import { guessMsisdn, parseMsisdn } from '@signalbox/domain/msisdn';
import { isCountry } from '@signalbox/domain/routing/country';
import { isSmsSender } from '@signalbox/domain/sms/sender';
import { IsIntBetween } from '@signalbox/gateways/is-int-between';
import { Transform } from 'class-transformer';
import { IsString, Matches, ValidateBy, ValidateIf } from 'class-validator';
import { IS_GIVEN } from './is-given.ts';
import type { ValidationArguments, ValidationOptions } from 'class-validator';

/** The field may be absent; null counts as absent. */
export function Optional(): PropertyDecorator {
  return ValidateIf(IS_GIVEN);
}

/** The field may be absent or null: null removes a value, absent leaves it unchanged. */
export function Nullable(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined && value !== null);
}

/** Text of at most `max` Unicode code points. */
export function MaxCodePoints(max: number, options?: ValidationOptions): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && !isLongerThan(value, max);
  return ValidateBy({ name: 'maxCodePoints', constraints: [max], validator: { validate } }, options);
}

/** Text of at least `min` Unicode code points. */
export function MinCodePoints(min: number): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    typeof value === 'string' && (min === 0 || isLongerThan(value, min - 1));
  return ValidateBy({ name: 'minCodePoints', constraints: [min], validator: { validate } });
}

/** Text with at least one character other than white space. */
export function NotBlank(options?: ValidationOptions): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && /\S/.test(value);
  return ValidateBy({ name: 'notBlank', validator: { validate } }, options);
}

/** Text of at most `max` Unicode code points, of which one is no white space. */
export function FilledText(max: number): PropertyDecorator {
  return applyDecorators(MaxCodePoints(max), NotBlank(), IsString()); // applied from the last to the first
}

/** A filled text of one line. */
export function FilledLine(max: number): PropertyDecorator {
  return applyDecorators(MaxCodePoints(max), OneLine(), NotBlank(), IsString()); // applied from the last to the first
}

/** A phone number with its country code; combine with `{ each: true }` for a list. */
export function IsMsisdn(options?: ValidationOptions): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && parseMsisdn(value) !== undefined;
  const message = ({ value }: ValidationArguments): string => notMsisdn(value);
  return ValidateBy({ name: 'isMsisdn', validator: { validate } }, { message, ...options });
}

/** A recipient of a chat app: a phone number with or without a plus, or the user id of a person who shows none. */
export function IsChatRecipient(): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    typeof value === 'string' && (isUserId(value) || parseMsisdn(value) !== undefined);
  const message = ({ value }: ValidationArguments): string => notMsisdn(value);
  return ValidateBy({ name: 'isChatRecipient', validator: { validate } }, { message });
}

/** Explains what is wrong with a phone number, and suggests the digits that were probably meant. */
export function notMsisdn(value: unknown): string {
  const message = 'must be a phone number of 7 to 15 digits with its country code';
  const meant = typeof value === 'string' ? guessMsisdn(value) : undefined;
  return meant === undefined ? message : `${message}, as ${meant}`;
}

/** The items of a comma-separated list, without the spaces around them; a comma at the end adds none. */
export function splitList(text: string): string[] {
  const items = text.split(',').map(withoutOuterSpaces);
  return items.length > 1 && items.at(-1) === '' ? items.slice(0, -1) : items;
}

/** A sender of SMS: letters or digits, see `isSmsSender`. */
export function IsSmsSender(): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && isSmsSender(value);
  return ValidateBy({ name: 'isSmsSender', validator: { validate } });
}

/** Refuses a field that belongs elsewhere. */
export function NotInBody(message: string): PropertyDecorator {
  const context = { rule: 'not_applicable' };
  return ValidateBy({ name: 'notInBody', validator: { validate: () => false } }, { message, context });
}

/** Text without line ends and tabs. */
export function OneLine(options?: ValidationOptions): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    typeof value === 'string' && !/[\t-\r\u0085\u2028\u2029]/.test(value);
  return ValidateBy({ name: 'oneLine', validator: { validate } }, options);
}

/**
 * Converts digits to a number, for fields of a query string or quoted numbers; leaves other values unchanged.
 */
export function ReadInteger(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
  );
}

const COUNTRY_CODE = /^[A-Z]{2}$/;

/** A text in the form of a country code; combine with `{ each: true }` for a list. */
export function HasCountryForm(options?: ValidationOptions): PropertyDecorator {
  const message = 'must be a country code of two capital letters, such as IN';
  return Matches(COUNTRY_CODE, { message, ...options });
}

/**
 * A list of codes of countries.
 *
 * @param other a code that is allowed besides, and its meaning as the refusal words it
 */
export function AreCountries(other?: { code: string; meaning: string }): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    typeof value !== 'string' || !COUNTRY_CODE.test(value) || isCountry(value) || value === other?.code;
  const message = `must be the ISO 3166-1 code of a country, as IN or GB${other ? `, or ${other.code} for ${other.meaning}` : ''}`;
  const context = { rule: 'not_allowed_value' };
  return applyDecorators(
    ValidateBy({ name: 'isCountry', validator: { validate } }, { message, context, each: true }),
    HasCountryForm({ each: true }),
  );
}

/** The largest id of a chat account has 15 digits. */
const MAX_CHAT_ACCOUNT_ID = 999_999_999_999_999;

/** The id of a chat account: a number, or its digits. */
export function IsChatAccountId(): PropertyDecorator {
  return applyDecorators(IsIntBetween(1, MAX_CHAT_ACCOUNT_ID), ReadInteger()); // applied from the last to the first
}

/** Steps over the spaces by index: a pattern for spaces at the end is quadratic in a run of spaces before it. */
function withoutOuterSpaces(item: string): string {
  let start = 0;
  let end = item.length;
  while (item[start] === ' ') start += 1;
  while (end > start && item[end - 1] === ' ') end -= 1;
  return item.slice(start, end);
}

/** Stops counting at the limit: a code point is one or two UTF-16 units. */
function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count > max) return true;
  }
  return false;
}
