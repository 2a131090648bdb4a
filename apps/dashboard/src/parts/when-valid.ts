import type { FormValidationResult } from '@mantine/form';

interface Checked<Values> {
  validate: () => FormValidationResult;
  getValues: () => Values;
}

/** Acts with the values of a form of Mantine when they are valid; its `onSubmit` would not wait for the act. */
export function whenValid<Values>(
  form: Checked<Values>,
  act: (values: Values) => Promise<unknown> | void,
): () => Promise<unknown> | void {
  return () => (form.validate().hasErrors ? undefined : act(form.getValues()));
}
