/** An e-mail address has at most 254 characters (RFC 5321). */
const MAX_EMAIL_LENGTH = 254;

/** No white space, and no control or format characters: two addresses that look alike must not be two users. */
const SHAPE =
  /^[^\s\p{C}@<>(),;:"\\[\]]{1,64}@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/u;

/** Parses an e-mail address to the form that identifies a user: in small letters; undefined for a malformed one. */
export function parseEmail(text: string): string | undefined {
  const email = text.trim().normalize('NFC').toLowerCase();
  return email.length <= MAX_EMAIL_LENGTH && SHAPE.test(email) ? email : undefined;
}
