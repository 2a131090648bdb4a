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
