/** Sources of every page: it runs its own scripts only, calls nothing but this origin, and stands in no frame. */
const SOURCES = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self'",
  'connect-src': "'self'",
  'frame-ancestors': "'none'",
};

/** The headers of a page, with the sources that its content security policy allows besides those of every page. */
export function pageHeaders(sources: Readonly<Record<string, string>>): Record<string, string> {
  const policy = Object.entries({ ...SOURCES, ...sources }).map((directive) => directive.join(' '));
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  };
}
