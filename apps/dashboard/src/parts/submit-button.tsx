import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useIsSubmitting } from './form.tsx';

/** The button of a `Form`, busy while its act is under way. */
export function SubmitButton(button: Omit<ButtonProps, 'loading'> & { children: ReactNode }): ReactNode {
  return <Button {...button} type="submit" loading={useIsSubmitting()} />;
}
