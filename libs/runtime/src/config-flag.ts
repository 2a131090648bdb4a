import type { TransformFnParams } from 'class-transformer';

/** How a yes or no is written in the environment. */
export const FLAGS = '1, 0, true, false';

/** Reads a flag; anything else stays as it is, for the validator to refuse. */
export function toFlag({ value }: TransformFnParams): unknown {
  if (value === '1' || value === 'true') return true;
  if (value === '0' || value === 'false') return false;
  return value;
}
