import { expect, test } from '@jest/globals';
import { countParts } from '@signalbox/domain/sms/parts';
import { decodeGsm, encodeGsm, joinEscapes, septetsOf } from './gsm-alphabet.ts';

test('the alphabet is that of the credits', () => {
  const differing = [];
  for (let unit = 0; unit < 0x10000; unit += 1) {
    const char = String.fromCharCode(unit);
    const isGsm = countParts(char, false).encoding === 'GSM-7';
    const isDouble = isGsm && countParts(char.repeat(81), false).parts === 2;
    const septets = isDouble ? 2 : Number(isGsm);
    if (septetsOf(unit) !== septets) differing.push(unit);
  }

  expect(differing).toEqual([]);
});

test('octets decode to their text', () => {
  expect(encodeGsm('@Δ à{€').toString('hex')).toBe('0010207f1b281b65');
  expect(decodeGsm(Buffer.from('0010207f1b281b65', 'hex'))).toBe('@Δ à{€');
});

test('an unknown escape shows the character of the alphabet', () => {
  expect(decodeGsm(Buffer.from('1b411b1b42', 'hex'))).toBe('A B');
});

test('an escape at the end of a segment continues in the next', () => {
  const first = decodeGsm(Buffer.from('411b', 'hex'));

  expect(joinEscapes(first + decodeGsm(Buffer.from('6542', 'hex')))).toBe('A€B');
  expect(joinEscapes(first)).toBe('A');
});
