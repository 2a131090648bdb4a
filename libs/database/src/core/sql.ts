/**
 * A statement made of fragments: removes the indentation that all its lines share, and indents every line of a fragment
 * like the place it is put in, so that the statement as sent reads like one that was written in one piece. Use it for
 * constants only. A prepared statement is found by its text, and a text built at each call has to be hashed again.
 */
export function sql(strings: TemplateStringsArray, ...fragments: (string | number)[]): string {
  let text = strings[0]!;
  for (const [i, fragment] of fragments.entries()) {
    const line = text.slice(text.lastIndexOf('\n') + 1);
    const column = LIST_OF_CTES.test(line) ? line.search(/\S/) : line.length;
    text += String(fragment).replaceAll('\n', `\n${' '.repeat(column)}`) + strings[i + 1]!;
  }
  return dedent(text);
}

/** A list of CTEs stays at the indentation of its WITH. */
const LIST_OF_CTES = /^ *(WITH (RECURSIVE )?|\), )$/;

/** Removes the indentation that all lines after the first share, and white space around the text. */
function dedent(text: string): string {
  const [first, ...lines] = text.split('\n');
  const depths = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const shared = depths.length === 0 ? 0 : Math.min(...depths);
  return [first, ...lines.map((line) => line.slice(shared))].join('\n').trim();
}

/**
 * Guards a state change, in the WHERE of a statement that already names its rows by key. The CASE keeps the planner
 * from using the condition to find rows: a plain condition looks so selective on a table without statistics that every
 * open row is read and compared with every key of the batch.
 */
export function guard(condition: string): string {
  return sql`
    CASE WHEN
      ${condition}
    THEN true END`;
}
