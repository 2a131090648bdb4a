import { toStorableText } from '@signalbox/domain/sanitize';
import { asObject, textOf, wholeOf } from './json.ts';

/** An error as the API writes it, in an answer or in a status. */
export interface GraphError {
  code: number | undefined;
  description: string;
  isTransient: boolean;
}

const MAX_DESCRIPTION = 500;

/** Reads an error object; undefined for anything else. */
export function readGraphError(value: unknown): GraphError | undefined {
  const error = asObject(value);
  if (!error) return undefined;
  const { code, error_data, error_user_msg, message, title, is_transient } = error;
  const details = textOf(asObject(error_data)?.['details']);
  const text = details ?? textOf(error_user_msg) ?? textOf(message) ?? textOf(title) ?? 'Unknown error';
  return {
    code: wholeOf(code),
    description: toStorableText(text.slice(0, MAX_DESCRIPTION)),
    isTransient: is_transient === true,
  };
}
