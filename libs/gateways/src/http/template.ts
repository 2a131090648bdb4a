/** Values of placeholders by name; undefined for one that this message lacks. */
export type TemplateValues = Readonly<Record<string, string | undefined>>;

/** Escapes a value for the place that its template is in. */
export type Escape = (value: string) => string;

/** A template that cannot be used; the message says what to change. */
export class TemplateError extends Error {
  override name = 'TemplateError';
}

const TOKEN = /\{\{|\}\}|\{([A-Za-z][A-Za-z0-9]{0,39})\}|[{}]/g;
const MAX_LENGTH = 2_000;

type Piece = string | { name: string };

/** A text with placeholders such as `{recipient}`. Braces of the text itself are written twice. */
export class Template {
  private constructor(private readonly pieces: readonly Piece[]) {}

  /**
   * @param known names of the placeholders that may occur
   * @throws TemplateError
   */
  static parse(source: string, known: ReadonlySet<string>): Template {
    if (source.length > MAX_LENGTH) throw new TemplateError(`must be at most ${MAX_LENGTH} characters`);
    const pieces: Piece[] = [];
    let from = 0;
    for (const match of source.matchAll(TOKEN)) {
      if (match.index > from) pieces.push(source.slice(from, match.index));
      pieces.push(readToken(match[0], match[1], known));
      from = match.index + match[0].length;
    }
    if (from < source.length) pieces.push(source.slice(from));
    return new Template(pieces);
  }

  /** Names of the placeholders in it. */
  get names(): string[] {
    return this.pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name]));
  }

  /** Fills in the values in one pass. Returns undefined when a placeholder has no value. */
  render(values: TemplateValues, escape: Escape = (value) => value): string | undefined {
    let text = '';
    for (const piece of this.pieces) {
      const value = typeof piece === 'string' ? piece : values[piece.name];
      if (value === undefined) return undefined;
      text += typeof piece === 'string' ? value : escape(value);
    }
    return text;
  }
}

function readToken(token: string, name: string | undefined, known: ReadonlySet<string>): Piece {
  if (token === '{{' || token === '}}') return token.charAt(0);
  if (name === undefined)
    throw new TemplateError('has a single brace; write {name} for a placeholder, and {{ or }} for a brace');
  if (!known.has(name))
    throw new TemplateError(
      `names {${name}}, which is no placeholder here; use one of ${[...known].toSorted().join(', ')}`,
    );
  return { name };
}

/** Removes what would end a header or cannot be in one. */
export function escapeHeader(value: string): string {
  return value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '');
}

/** Escapes a value for a part of a URL. Lone surrogates are replaced first: they have no UTF-8. */
export function escapeUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}
