import type { TransformFnParams } from 'class-transformer';

/** Spellings of a flag in the environment, for messages. */
export const FLAGS = '1, 0, true, false';

/** Parses a flag; other values pass unchanged, and the validator refuses them. */
export function toFlag({ value }: TransformFnParams): unknown {
  if (value === '1' || value === 'true') return true;
  if (value === '0' || value === 'false') return false;
  return value;
}
