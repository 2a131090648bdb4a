import { MAX_URL_LENGTH } from '../templates/template.ts';
import type { Violation } from '../violation.ts';

/**
 * Invisible characters, characters that reverse text, and the backslash, which URL parsers take for a slash.
 */
const UNSAFE_CHARACTER = /[\p{C}\p{Z}\\]/u;
const AUTHORITY = /^https?:\/\/([^/?#]+)/i;

/** A violation without its field. */
export type LinkProblem = Omit<Violation, 'field'>;

/**
 * Checks a link that a phone opens: http or https, a host, no user info, no invisible characters. It is checked as
 * written, because URL parsers silently repair much of what hides a host. Only the images of cards are fetched.
 *
 * @returns the first broken rule, or undefined
 */
export function linkProblem(link: string): LinkProblem | undefined {
  if (link.length > MAX_URL_LENGTH)
    return { rule: 'max_length', message: `must be at most ${MAX_URL_LENGTH} characters` };
  if (UNSAFE_CHARACTER.test(link)) {
    return { rule: 'invalid_character', message: 'must not hold spaces, control characters or backslashes' };
  }
  const authority = AUTHORITY.exec(link)?.[1];
  if (authority?.includes('@'))
    return { rule: 'url_user_info', message: 'must not hold a user name or password' };
  if (authority === undefined || URL.parse(link) === null) {
    return { rule: 'invalid_format', message: 'must be an http or https URL with a host' };
  }
  return undefined;
}

/** Checks a link that may hold one placeholder, after its host, so that reviewers see where it leads. */
export function linkTemplateProblem(link: string): LinkProblem | undefined {
  const placeholders = link.match(/\{\{[^{}]*\}\}/g) ?? [];
  if (placeholders.length > 1)
    return { rule: 'too_many_placeholders', message: 'must hold at most one placeholder' };
  if (AUTHORITY.exec(link)?.[1]?.includes('{'))
    return { rule: 'placeholder_not_allowed', message: 'must not hold a placeholder in its host' };
  return linkProblem(link);
}
