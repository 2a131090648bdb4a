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
import { countryOf, isCountry } from './country.ts';

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

/** The codes that ISO 3166-1 assigns. */
const ASSIGNED =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT ' +
  'BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ' +
  'ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT ' +
  'HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS ' +
  'LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI ' +
  'NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG ' +
  'SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG ' +
  'UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';
/** Reserved codes that numbers belong to: Ascension, Tristan da Cunha and Kosovo. */
const RESERVED = ['AC', 'TA', 'XK'];

test('the assigned codes are those of countries, and unassigned ones such as UK are not', () => {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const codes = letters.flatMap((first) => letters.map((second) => `${first}${second}`));

  expect(codes.filter(isCountry)).toEqual([...ASSIGNED.split(' '), ...RESERVED].toSorted());
});
