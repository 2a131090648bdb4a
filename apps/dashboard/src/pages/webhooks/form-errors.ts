import type { ApiFailure } from '../../api/failure.ts';

/** The sentences of a refused request by the paths of the form: `headers[0].key` is `headers.0.key`. */
export function formErrorsOf(failure: ApiFailure): Record<string, string> {
  return Object.fromEntries(
    failure.details.map(({ field, message }) => [formPath(field), sentence(message)]),
  );
}

function formPath(field: string): string {
  const path = field.replace(/^filters\./, '').replaceAll(/\[(\d+)\]/g, '.$1');
  return /^(headers|targets)\./.test(path) ? path : (path.split('.')[0] ?? path);
}

/** The api writes "must be …", without a subject. */
function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1);
}
