import { ArrayMaxSize, ArrayUnique, IsArray, IsString } from 'class-validator';

/** Requires a list of at most `max` different texts. */
export function DistinctTexts(max: number): PropertyDecorator {
  const rules = [IsString({ each: true }), ArrayUnique(), ArrayMaxSize(max), IsArray()]; // as decorators are applied
  return (target, property) => rules.forEach((decorate) => decorate(target, String(property)));
}
