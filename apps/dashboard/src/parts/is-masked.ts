/** True for a text with a number that was masked for the role of the reader: nothing can be found by it. */
export function isMasked(text: string): boolean {
  return /\*{3}\d{4}/.test(text);
}
