import { ArrayMaxSize, IsArray, IsIn, IsString, ValidateBy } from 'class-validator';

/** Requires a list of at most `max` different texts. */
export function DistinctTexts(max: number): PropertyDecorator {
  return listOf(max, IsString({ each: true }));
}

/** Requires a list of some of the words, each at most once. */
export function DistinctWords(words: readonly string[]): PropertyDecorator {
  return listOf(words.length, IsIn(words, { each: true }));
}

function listOf(max: number, rule: PropertyDecorator): PropertyDecorator {
  const rules = [rule, Distinct(), ArrayMaxSize(max), IsArray()]; // in the order in which decorators are applied
  return (target, property) => rules.forEach((decorate) => decorate(target, String(property)));
}

/** Replaces ArrayUnique of class-validator, which takes quadratic time. */
function Distinct(): PropertyDecorator {
  const validate = (value: unknown): boolean => Array.isArray(value) && new Set(value).size === value.length;
  const defaultMessage = (): string => '$property must not hold the same item twice';
  return ValidateBy({ name: 'distinct', validator: { validate, defaultMessage } });
}
