import type { GatewayKind } from '@signalbox/client';
import { type ApiFailure, sentenceOf } from '../../api/failure.ts';
import { type GatewayValues, settingKey } from './gateway-values.ts';
import { WORDS } from './words.ts';

/** The sentences of a refused request by the paths of the form. */
export function gatewayErrorsOf({ details }: ApiFailure): Record<string, string> {
  return Object.fromEntries(details.map((each) => [formPath(each.field), sentenceOf(each)]));
}

/** The settings whose text is not JSON although their type wants it, by the paths of the form. */
export function jsonErrorsOf({ settings }: GatewayValues, kind: GatewayKind): Record<string, string> {
  const broken = kind.settings.filter(({ name, type }) => {
    const text = String(settings[settingKey(name)] ?? '');
    return (type === 'map' || type === 'json') && text.trim() !== '' && !isJson(text);
  });
  return Object.fromEntries(broken.map(({ name }) => [`settings.${settingKey(name)}`, WORDS.invalidJson]));
}

/** The preset is the first way to describe requests, so that a missing request is named there. */
function formPath(field: string): string {
  if (field === 'settings.request') return 'settings.preset';
  return field.startsWith('settings.') ? `settings.${settingKey(field.slice('settings.'.length))}` : field;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
