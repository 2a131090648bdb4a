import { capitalized } from './capitalized.ts';

const TYPE_NAMES = { TRANS: 'Transactional', PROMO: 'Promotional', OTP: 'One-time password' } as const;

/** Types of SMS with their names, as the choices of a field. */
export const TYPE_CHOICES = Object.entries(TYPE_NAMES).map(([value, label]) => ({ value, label }));

/** `Transactional` for TRANS. Other types, as those of the chat app, are words already: `Template`. */
export function typeName(type: string): string {
  return (TYPE_NAMES as Readonly<Record<string, string>>)[type] ?? capitalized(type);
}

/** Name of a type in a list, whose columns have no room for `One-time password`. */
export function shortTypeName(type: string): string {
  return type === 'OTP' ? type : typeName(type);
}
