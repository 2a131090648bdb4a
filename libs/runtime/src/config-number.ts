import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';

/** Reads a setting as a whole number, and says its limits when it is missing or another. */
export function IsWholeNumber(min: number, max: number, reason = ''): PropertyDecorator {
  const rule = { message: `$property must be a whole number from ${min} to ${max}${reason}` };
  const decorators = [Type(() => Number), IsInt(rule), Min(min, rule), Max(max, rule)];
  return (config, name) => decorators.forEach((decorate) => decorate(config, String(name)));
}
