/** An e-mail address has at most 254 characters (RFC 5321). */
export const MAX_EMAIL_LENGTH = 254;

const SHAPE =
  /^[^\s@<>(),;:"\\[\]]{1,64}@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Parses an e-mail address to the form that identifies a user: in small letters; undefined when it is none. */
export function parseEmail(text: string): string | undefined {
  const email = text.trim().normalize('NFC').toLowerCase();
  return email.length <= MAX_EMAIL_LENGTH && SHAPE.test(email) ? email : undefined;
}
