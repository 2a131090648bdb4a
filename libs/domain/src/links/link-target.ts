const MAX_LENGTH = 2_048;

/**
 * Whether a short link may lead there: http or https with a host, no user info, which makes an address look like another's.
 * Text that a URL parser would quietly drop, such as a tab within the host, is refused.
 */
export function isLinkTarget(text: string): boolean {
  if (!/^https?:\/\/[^/\\]/i.test(text) || /[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) return false;
  const { href, username, password } = new URL(text);
  return href.length <= MAX_LENGTH && username === '' && password === '';
}
