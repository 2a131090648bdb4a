import type { Violation } from '@signalbox/domain/violation';

/** Minimum length of a password in code points. */
export const MIN_PASSWORD_LENGTH = 12;

/** Maximum length of a password in code points. */
export const MAX_PASSWORD_LENGTH = 256;

let common: Promise<ReadonlySet<string>> | undefined;

/** Lists the faults of a new password of valid length, under the name of its field. */
export async function passwordViolations(
  field: string,
  password: string,
  email: string,
): Promise<Violation[]> {
  const simple = password.normalize('NFKC').toLowerCase().trim();
  if (simple.includes(email) || new Set(simple).size < 4)
    return [
      { field, rule: 'too_simple', message: 'must not be your e-mail address, or a few repeated characters' },
    ];
  if ((await (common ??= loadCommon())).has(simple))
    return [{ field, rule: 'too_common', message: 'is among the most common passwords; choose another' }];
  return [];
}

/**
 * The common passwords that are long enough, from the 49,000 of `@zxcvbn-ts/language-common` (MIT), which include the
 * 10,000 most common. The list is read when the first password is set.
 */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const passwords = dictionary['passwords-common'] as readonly string[];
  return new Set(
    passwords.filter((password) => password.length >= MIN_PASSWORD_LENGTH).map((each) => each.toLowerCase()),
  );
}
