import { useState } from 'react';
import type { ApiFailure } from '../api/failure.ts';
import { isSame } from './is-same.ts';

interface FieldErrors {
  /**
   * The sentence about a field of the request, until its value changes.
   *
   * @param name of the value; the root of the field by default: `testNumbers` for `testNumbers[0].until`
   */
  about: (field: string, name?: string) => string | undefined;
  /** The failure to show below the fields: one about fields until any value changes. */
  shown: ApiFailure | null;
}

/**
 * Shows the failure of a form at its fields. A corrected field loses its sentence; the others keep theirs.
 *
 * @param values of the form by name, as they can be written as JSON
 */
export function useFieldErrors(failure: ApiFailure | null, values: object): FieldErrors {
  const [refused, setRefused] = useState({ failure, values });
  if (refused.failure !== failure) setRefused({ failure, values });
  const isUnchanged = (name: string): boolean => isSame(valueOf(refused.values, name), valueOf(values, name));
  const isStale = failure && failure.details.length > 0 && !isSame(refused.values, values);
  return {
    about: (field, name = field.replace(/[[.].*$/, '')) =>
      isUnchanged(name) ? failure?.about(field) : undefined,
    shown: isStale ? null : failure,
  };
}

function valueOf(values: object, name: string): unknown {
  return (values as Readonly<Record<string, unknown>>)[name];
}
