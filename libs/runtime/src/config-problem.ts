import { ValidateBy } from 'class-validator';

/** Validates a setting by a function that says what is wrong with its value, and returns undefined for a good one. */
export function HasNoProblem(find: (value: unknown) => string | undefined): PropertyDecorator {
  return ValidateBy({
    name: 'hasNoProblem',
    validator: {
      validate: (value) => find(value) === undefined,
      defaultMessage: (given) => find(given?.value) ?? '',
    },
  });
}

/**
 * Says that a value begins or ends with white space, which no setting does: a secret made from a file often ends with
 * its line break. Undefined for any other value.
 */
export function findSpaceProblem(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || value === value.trim()) return undefined;
  const what = /[\r\n]$/.test(value) ? 'ends with a line break' : 'begins or ends with white space';
  return `${name} ${what}: remove it, also from the file or secret that it was read from`;
}
