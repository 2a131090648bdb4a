import { Group } from '@mantine/core';
import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LinkButton } from './links.tsx';
import { SubmitButton } from './submit-button.tsx';

export interface FormButtonsProps {
  /** Text of the button that submits the form. */
  verb: string;
  /** Page that cancelling leads to; without one there is no such button. */
  cancel?: Pick<LinkProps, 'to' | 'params'>;
}

/** The buttons at the end of a form. */
export function FormButtons({ verb, cancel }: FormButtonsProps): ReactNode {
  return (
    <Group>
      <SubmitButton>{verb}</SubmitButton>
      {cancel && (
        <LinkButton variant="default" {...cancel}>
          Cancel
        </LinkButton>
      )}
    </Group>
  );
}
