import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { countryOf } from './country.ts';

test.each([
  ['919812345678', 'IN'],
  ['14155550123', 'US'],
  ['14165550123', 'CA'],
  ['18765550123', 'JM'],
  ['77012345678', 'KZ'],
  ['79161234567', 'RU'],
  ['73360000000', 'RU'],
  ['447624123456', 'IM'],
  ['447700900123', 'GB'],
  ['870123456789', undefined],
  ['88310012345', undefined],
  ['9991234567', undefined],
])('%s belongs to %s', (digits, country) => {
  expect(countryOf(digits)).toBe(country);
});

test('example mobile numbers have the same country as in libphonenumber', () => {
  const numbers = getCountries().flatMap((country) => getExampleNumber(country, examples)?.number ?? []);

  expect(numbers.map((number) => `${number} ${countryOf(number.slice(1))}`)).toEqual(
    numbers.map((number) => `${number} ${parsePhoneNumberFromString(number)?.country}`),
  );
});

/** Numbers of seven digits that are dialled within Canada only; with ten digits, the prefix is one of the US. */
const WITHIN_CANADA = /^\+1310\d{4}$/;

test('any valid number has the same country as in libphonenumber', () => {
  const codes = [...new Set(getCountries().map((country: CountryCode) => getCountryCallingCode(country)))];
  const number = fc
    .tuple(fc.constantFrom(...codes), fc.stringMatching(/^[1-9]\d{6,10}$/))
    .map(([code, rest]) => parsePhoneNumberFromString(`+${code}${rest}`))
    .filter((parsed) => parsed?.isValid() === true && parsed.country !== undefined)
    .filter((parsed) => !WITHIN_CANADA.test(parsed?.number ?? ''));

  fc.assert(
    fc.property(number, (parsed) => {
      expect(`${parsed?.number} ${countryOf(parsed?.number.slice(1) ?? '')}`).toBe(
        `${parsed?.number} ${parsed?.country}`,
      );
    }),
    { numRuns: 3_000 },
  );
});
