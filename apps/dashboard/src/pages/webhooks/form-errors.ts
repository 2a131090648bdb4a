import { type ApiFailure, sentenceOf } from '../../api/failure.ts';
import { WORDS } from './words.ts';

/** The sentences of a refused request by the paths of the form: `headers[0].key` is `headers.0.key`. */
export function formErrorsOf(failure: ApiFailure): Record<string, string> {
  return Object.fromEntries(failure.details.map((each) => [formPath(each.field), sentenceOf(each)]));
}

const LABELS: Readonly<Record<string, unknown>> = WORDS;

/** The label of the field at a path of the form. */
export function fieldLabel(path: string): string {
  const [field = ''] = path.split('.');
  const label = LABELS[field];
  return typeof label === 'string' ? label : field;
}

function formPath(field: string): string {
  const path = field.replace(/^filters\./, '').replaceAll(/\[(\d+)\]/g, '.$1');
  return /^(headers|targets)\./.test(path) ? path : (path.split('.')[0] ?? path);
}
