import { type ApiFailure, sentenceOf } from '../../api/failure.ts';

/** The sentences of a refused request by the paths of the form: `match.prefixes[0]` is `prefixes`. */
export function routeErrorsOf({ details }: ApiFailure): Record<string, string> {
  return Object.fromEntries(details.map((each) => [formPath(each.field), sentenceOf(each)]));
}

function formPath(field: string): string {
  const path = field.replace(/^(match\.hours|match|policy)\./, '').replaceAll(/\[(\d+)\]/g, '.$1');
  return path.startsWith('targets.') ? path : (path.split('.')[0] ?? path);
}
