/** Returns the address as it is, without its port, and with the standard one: vendors sign either. */
export function urlSpellings(url: string): string[] {
  const [, scheme = '', host = '', port, rest = ''] =
    /^(https?):\/\/(\[[^\]]*\]|[^/:?#]*)(:\d+)?(.*)$/s.exec(url) ?? [];
  if (scheme === '') return [url];
  const standard = scheme === 'https' ? ':443' : ':80';
  return port === undefined
    ? [url, `${scheme}://${host}${standard}${rest}`]
    : [url, `${scheme}://${host}${rest}`];
}
