import { isPublicHost } from './public-host.ts';

const MAX_LENGTH = 2_048;

/**
 * True if a short link may lead to this URL: http or https, a public host, no user info, which can make an address look
 * like another's. Refuses characters that a URL parser would silently drop, such as a tab within the host. The host is
 * not resolved.
 */
export function isLinkTarget(text: string): boolean {
  if (!/^https?:\/\/[^/\\]/i.test(text) || /[\s\p{Cc}\\]/u.test(text)) return false;
  const url = URL.parse(text);
  if (url === null || url.href.length > MAX_LENGTH) return false;
  return url.username === '' && url.password === '' && isPublicHost(url);
}
