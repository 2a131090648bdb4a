import { expect, test } from '@jest/globals';
import { Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { planOf } from './dto-plan.ts';
import { readDto } from './dto-reader.ts';
import type { ReadResult } from './dto-reader.ts';
import { IsMsisdn, MaxCodePoints, MinCodePoints, NotBlank, Optional, ReadInteger } from './rules.ts';

class Button {
  @IsString()
  @NotBlank()
  @MaxCodePoints(5)
  text!: string;
}

class UrlButton extends Button {
  @Matches(/^https:/, { message: 'must start with https:' })
  url!: string;
}

class Component {
  @IsIn(['BODY', 'BUTTONS'])
  type!: string;

  @Optional()
  @ArrayMinSize(1)
  @ArrayMaxSize(2)
  @Type(() => Button, {
    discriminator: { property: 'kind', subTypes: [{ name: 'URL', value: UrlButton }] },
    keepDiscriminatorProperty: true,
  })
  @ValidateNested({ each: true })
  buttons?: Button[];
}

class Template {
  @IsString()
  @NotBlank()
  @MinCodePoints(2)
  @MaxCodePoints(4)
  @Matches(/^[a-z]*$/, { message: 'must be lowercase', context: { rule: 'not_lowercase' } })
  name!: string;

  @Optional()
  @ReadInteger()
  @IsInt()
  @Min(1)
  @Max(90)
  minutes: number = 10;

  @Optional()
  @IsBoolean()
  urgent?: boolean;

  @Optional()
  @IsArray()
  @ArrayMaxSize(3)
  @IsMsisdn({ each: true })
  to?: string[];

  @Optional()
  @Type(() => Component)
  @ValidateNested()
  header?: Component;

  @Optional()
  @IsArray()
  @Type(() => Component)
  @ValidateNested({ each: true })
  components?: Component[];

  @ValidateIf((template: Template) => template.urgent === true)
  @IsString()
  reason?: string;

  @ValidateIf((_, value) => value !== null)
  @IsString()
  label?: string | null;

  @Allow()
  extra?: unknown;
}

const GOOD = { name: 'abc', label: 'x' };

const read = (source: object): ReadResult => readDto(planOf(Template), source);

const violationsOf = (source: object): string[] =>
  read({ ...GOOD, ...source }).violations.map(({ field, rule, message }) => `${field} ${rule}: ${message}`);

test('a list that is too long is not checked further', () => {
  const checked: unknown[] = [];
  const validate = (value: unknown): boolean => checked.push(value) > 0;
  class Listing {
    @ArrayMaxSize(2)
    @ValidateBy({ name: 'checked', validator: { validate } })
    ids!: number[];
  }

  const { violations } = readDto(planOf(Listing), { ids: [1, 2, 3] });
  readDto(planOf(Listing), { ids: [1, 2] });

  expect(violations.map(({ rule }) => rule)).toEqual(['too_many_items']);
  expect(checked).toEqual([[1, 2]]);
});

test('a valid object becomes an instance of its class, nested and with defaults', () => {
  const { dto, violations } = read({ ...GOOD, components: [{ type: 'BODY', buttons: [{ text: 'Go' }] }] });

  expect(violations).toEqual([]);
  expect(dto).toBeInstanceOf(Template);
  expect(dto).toMatchObject({ name: 'abc', minutes: 10 });
  expect((dto as Template).components![0]).toBeInstanceOf(Component);
  expect((dto as Template).components![0]!.buttons![0]).toBeInstanceOf(Button);
});

test.each<[string, object, string[]]>([
  ['an absent field', { name: undefined }, ['name required: is required']],
  ['null', { name: null, urgent: null }, ['name null_not_allowed: must not be null']],
  ['a wrong type', { name: 5 }, ['name invalid_type: must be a string']],
  ['a blank text', { name: '' }, ['name blank: must not be blank']],
  ['a text that is too short', { name: 'a' }, ['name min_length: must be at least 2 characters']],
  [
    'a text that is too long and of another form',
    { name: 'ABCDE' },
    ['name max_length: must be at most 4 characters', 'name not_lowercase: must be lowercase'],
  ],
  ['a number that is no integer', { minutes: 1.5 }, ['minutes invalid_type: must be an integer']],
  ['a number out of range', { minutes: 91 }, ['minutes out_of_range: must be at most 90']],
  ['a word where a number belongs', { minutes: 'x' }, ['minutes invalid_type: must be an integer']],
  ['a text where a boolean belongs', { urgent: 'true' }, ['urgent invalid_type: must be true or false']],
  [
    'a bad item',
    { to: ['919800000001', '12', null] },
    [
      'to[1] invalid_format: must be a phone number of 7 to 15 digits with its country code',
      'to[2] null_not_allowed: must not be null',
    ],
  ],
  [
    'too many items, which are not looked at',
    { to: ['1', '2', '3', '4'] },
    ['to too_many_items: must have at most 3 items'],
  ],
  ['an object where an array belongs', { to: { 0: 'x' } }, ['to invalid_type: must be an array']],
  ['a text where an object belongs', { header: 'x' }, ['header invalid_type: must be an object']],
  ['an array where an object belongs', { header: [] }, ['header invalid_type: must be an object']],
  ['an object where objects belong', { components: {} }, ['components invalid_type: must be an array']],
  [
    'items that are no objects',
    { components: ['x', null, []] },
    [
      'components[0] invalid_type: must be an object',
      'components[1] null_not_allowed: must not be null',
      'components[2] invalid_type: must be an object',
    ],
  ],
  [
    'faults deep inside',
    { components: [{ type: 'BODY' }, { type: 'X', buttons: [{ text: 'too long' }, {}] }] },
    [
      'components[1].type not_allowed_value: must be one of BODY, BUTTONS',
      'components[1].buttons[0].text max_length: must be at most 5 characters',
      'components[1].buttons[1].text required: is required',
    ],
  ],
  [
    'an empty list',
    { header: { type: 'BODY', buttons: [] } },
    ['header.buttons too_few_items: must have at least 1 item'],
  ],
  [
    'a union, by its class',
    { header: { type: 'BODY', buttons: [{ kind: 'URL', text: 'Go', url: 'ftp:' }] } },
    ['header.buttons[0].url invalid_format: must start with https:'],
  ],
  [
    'a union with a name of Object',
    { header: { type: 'BODY', buttons: [{ kind: 'constructor', text: 'Go' }] } },
    [],
  ],
])('%s is reported once, with its path', (_name, source, expected) => {
  expect(violationsOf(source)).toEqual(expected);
});

test('a field that may be null keeps its null', () => {
  expect(read({ ...GOOD, label: null })).toMatchObject({ dto: { label: null }, violations: [] });
});

test('a field that does not apply is dropped and named, and required where it applies', () => {
  expect(read({ ...GOOD, reason: 5 })).toMatchObject({
    dto: { reason: undefined },
    violations: [],
    ignored: ['reason'],
  });
  expect(violationsOf({ urgent: true })).toEqual(['reason required: is required']);
});

test('unknown fields never reach the instance, at any depth', () => {
  const { dto, ignored } = read({
    ...GOOD,
    isAdmin: true,
    header: { type: 'BODY', size: 1, buttons: [{ text: 'Go', x: 1 }] },
  });

  expect(JSON.stringify(dto)).not.toMatch(/isAdmin|size|"x":/);
  expect(ignored).toEqual(['isAdmin', 'header.size', 'header.buttons[0].x']);
});

test('a field without rules is copied unchanged', () => {
  expect(read({ ...GOOD, extra: { any: [1] } })).toMatchObject({
    dto: { extra: { any: [1] } },
    violations: [],
    ignored: [],
  });
});

test('digits of a query string become a number', () => {
  expect(read({ ...GOOD, minutes: '15' })).toMatchObject({ dto: { minutes: 15 }, violations: [] });
});

test('lengths count code points, not UTF-16 units', () => {
  class Emoji {
    @MaxCodePoints(3)
    @MinCodePoints(2)
    text!: string;
  }
  const rules = (text: string): string[] =>
    readDto(planOf(Emoji), { text }).violations.map(({ rule }) => rule);

  expect(rules('😀😀😀')).toEqual([]);
  expect(rules('😀😀😀😀')).toEqual(['max_length']);
  expect(rules('😀')).toEqual(['min_length']);
});

test('unsupported decorators are refused when the class is compiled', () => {
  class Grouped {
    @IsString({ groups: ['a'] })
    text!: string;
  }
  class Untyped {
    @ValidateNested()
    child!: object;
  }

  class Unexplained {
    @Matches(/^[a-z]*$/)
    name!: string;
  }

  expect(() => planOf(Grouped)).toThrow('Grouped.text');
  expect(() => planOf(Untyped)).toThrow('Untyped.child');
  expect(() => planOf(Unexplained)).toThrow('Unexplained.name: Matches needs a message');
});

test('a transform of class-transformer runs before the rules', () => {
  class Upper {
    @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toUpperCase() : value))
    @IsIn(['UTILITY'])
    category!: string;
  }

  expect(readDto(planOf(Upper), { category: 'utility' })).toMatchObject({
    dto: { category: 'UTILITY' },
    violations: [],
  });
});
