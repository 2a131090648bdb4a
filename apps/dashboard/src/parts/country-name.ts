const NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** `India` for IN. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? NAMES.of(code)! : code;
}
