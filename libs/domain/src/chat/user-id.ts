/** Characters of the longest user id. */
export const MAX_USER_ID_LENGTH = 'IN.ENT.'.length + 128;

const SHAPE = /^[A-Z]{2}(?:\.ENT)?\.[A-Za-z0-9]{1,128}$/;

/**
 * Checks that a text is the id that a chat app gives a user who shows no phone number: a country code, a full stop, and
 * at most 128 letters and digits. No phone number has this form.
 */
export function isUserId(text: string): boolean {
  return SHAPE.test(text);
}
