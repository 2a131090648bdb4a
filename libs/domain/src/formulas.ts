/**
 * Places where a cell may begin, in front of a character that makes a spreadsheet evaluate it as a formula, which may leak
 * other cells. In some languages the wide characters do as well. A spreadsheet that separates cells by semicolons or
 * tabs also begins one within a quoted cell.
 */
const FORMULA = /^(?=[\t\r\n])|(?=[=+\-@＝＋－＠])(?<=(?:^|[;\t\r\n])"*)/g;

/** Puts an apostrophe in front of each part of a CSV cell that a spreadsheet may take for a formula. */
export function quoteFormulas(text: string): string {
  return text.replace(FORMULA, "'");
}
