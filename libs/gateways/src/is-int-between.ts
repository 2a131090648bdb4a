import { IsInt, Max, Min } from 'class-validator';

/** Requires a whole number from `min` to `max`. */
export function IsIntBetween(min: number, max: number): PropertyDecorator {
  const rules = [Max(max), Min(min), IsInt()]; // in the order in which decorators are applied
  return (target, property) => rules.forEach((decorate) => decorate(target, String(property)));
}
