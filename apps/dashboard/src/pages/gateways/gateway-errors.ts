import type { ApiFailure } from '../../api/failure.ts';
import { settingKey } from './gateway-values.ts';

/** The sentences of a refused request by the paths of the form. */
export function gatewayErrorsOf(failure: ApiFailure): Record<string, string> {
  return Object.fromEntries(failure.details.map(({ field, message }) => [formPath(field), message]));
}

function formPath(field: string): string {
  return field.startsWith('settings.') ? `settings.${settingKey(field.slice('settings.'.length))}` : field;
}
