import { countryOf } from '../routing/country.ts';

/** Stands for numbers of no country, such as satellite phones; ISO 3166-1 assigns it to no country. */
export const UNKNOWN_COUNTRY = 'ZZ';

/** Digits of a number that its prefix leaves out. */
export const SUFFIX_DIGITS = 4;

/** A number without its last four digits: numbers with the same prefix share limits and are judged together. */
export function prefixOf(recipient: string): string {
  return recipient.slice(0, -SUFFIX_DIGITS);
}

/** Finds the country that the codes of a number or a prefix are counted for. */
export function codeCountryOf(digits: string): string {
  return countryOf(digits) ?? UNKNOWN_COUNTRY;
}
