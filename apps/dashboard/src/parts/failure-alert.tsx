import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ApiFailure } from '../api/failure.ts';
import { FailureText } from './error-state.tsx';

const MAX_LISTED = 10;

interface FailureAlertProps {
  /** Nothing is shown without one. */
  failure: ApiFailure | null | undefined;
  /** Names the broken rules too, for forms that do not show each at its field. */
  listsDetails?: boolean;
  /** Sentence before the failure. */
  note?: string | undefined;
}

/** The failure of a call that a form or a button made. */
export function FailureAlert({ failure, listsDetails = false, note }: FailureAlertProps): ReactNode {
  if (!failure) return null;
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
      {note}
      <FailureText failure={failure} />
      {listsDetails &&
        sentencesOf(failure).map((sentence) => (
          <Text key={sentence} size="sm">
            {sentence}
          </Text>
        ))}
    </Alert>
  );
}

interface FormFailureProps {
  failure: ApiFailure | null | undefined;
  /** The sentences that still stand at fields, by their paths. */
  errors: Readonly<Record<string, ReactNode>>;
  labelOf: (path: string) => string;
}

/** The failure of a form: the broken rules by the labels of their fields, until each is corrected. */
export function FormFailure({ failure, errors, labelOf }: FormFailureProps): ReactNode {
  if (!failure || failure.details.length === 0) return <FailureAlert failure={failure} />;
  const broken = Object.entries(errors).filter(([, sentence]) => Boolean(sentence));
  if (broken.length === 0) return null;
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
      {broken.map(([path, sentence]) => (
        <Text key={path} size="sm">
          {labelOf(path)}: {sentence}
        </Text>
      ))}
    </Alert>
  );
}

/** The broken rules that the message of the failure does not name already. */
function sentencesOf({ message, details }: ApiFailure): string[] {
  const others = details.filter((each) => each.message !== message);
  const all = others.slice(0, MAX_LISTED).map((each) => `${each.field} ${each.message}`);
  return [...new Set(all)].filter((sentence) => sentence !== message);
}
