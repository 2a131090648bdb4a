import { expect, test } from '@jest/globals';
import { IsString } from 'class-validator';
import { ApiError } from '../errors/api-error.ts';
import { type Violation, violation } from '@signalbox/domain/violation';
import { RequestPipe } from './request-pipe.ts';
import { Optional, ReadInteger } from './rules.ts';

class Range {
  @Optional()
  @ReadInteger()
  from?: number;

  @IsString()
  name!: string;

  /** Asked for all fields together. */
  static check(range: Range): Violation[] {
    return [
      violation('name', 'not_applicable', 'is reported already unless it is a string'),
      ...(range.from === 1 ? [violation('from', 'out_of_range', 'must not be 1')] : []),
    ];
  }
}

const pipe = new RequestPipe();

function refusal(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

test('a missing body is refused, whatever its class', () => {
  expect(refusal(() => pipe.transform(undefined, { type: 'body', metatype: Range })).code).toBe(
    'malformed_json',
  );
  expect(refusal(() => pipe.transform(undefined, { type: 'body', metatype: Object })).code).toBe(
    'malformed_json',
  );
});

test('rules of several fields are reported with the others, each field once', () => {
  const { details } = refusal(() =>
    pipe.transform({ from: '1', name: 5 }, { type: 'query', metatype: Range }),
  );

  expect(details.map(({ field, rule }) => `${field} ${rule}`)).toEqual([
    'name invalid_type',
    'from out_of_range',
  ]);
});

test.each([
  ['an array where one value belongs', ['a', 'b'], 'invalid_type'],
  ['U+0000', 'a\0', 'invalid_character'],
  ['a lone surrogate', '\ud800', 'invalid_character'],
])('a parameter with %s is refused by name', (_name, value, rule) => {
  const { details } = refusal(() =>
    pipe.transform(value, { type: 'query', metatype: String, data: 'cursor' }),
  );

  expect(details).toMatchObject([{ field: 'cursor', rule }]);
});

test('values made by the service itself, such as the account, pass unchanged', () => {
  const account = { id: '1' };

  expect(pipe.transform(account, { type: 'custom', metatype: Range })).toBe(account);
});
