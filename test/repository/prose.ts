/** A piece of prose of one file, without its markup. Line breaks are kept, so that a match has a line. */
export interface Passage {
  kind: 'comment' | 'description' | 'page' | 'test name';
  line: number;
  text: string;
}

export interface Finding {
  line: number;
  phrase: string;
  instead: string;
}

interface Rule {
  pattern: RegExp;
  instead: string;
  kinds?: Passage['kind'][];
}

const MAX_TEST_NAME = 90;

/** Phrases as regular expressions without spaces: a space matches any white space. */
const PHRASES: [phrase: string, instead: string][] = [
  ['unless told', 'by default'],
  ['(?<!unless )told|tells|tell of|telling of', 'reports, pushes, logs, notifies, returns or shows'],
  ['hears?|heard of', 'is notified of'],
  ['rings?|rang|rung|bells?', 'enqueue, job or JobBatcher'],
  ['announces?|announced', 'enqueues'],
  ['end points?', 'endpoint'],
  ['(?:is|are|be|was) at (?:it|them|once)', 'processes, holds a lock on'],
  ['at once', 'immediately, or at the same time'],
  ['so many|so much|so long(?! as)', 'the count, limit or delay by its name'],
  ['thinks? ill', 'considers unhealthy'],
  ['(?:takes?|took|taken|taking) leave', 'deregisters'],
  ['(?:takes?|took|taken|taking) (?:\\w+ )?away', 'removes or deletes'],
  ['(?:is|are|was|were|be|been) over(?! (?:\\d+|the|an?|its|HTTP)\\b)', 'expired or ended'],
  ['(?:is|are|was|were|be|been) away', 'unreachable or unavailable'],
  ['(?:is|are|was|were|be) through(?! an?\\b)', 'is done'],
  ['all the same', 'still, or anyway'],
  ['(?:held|holds?|holding) up', 'delays or blocks'],
  ['(?:became|becomes?) of', 'outcome or status'],
  ['upkeep', 'maintenance duty'],
  ['(?:goes|go|going|went|gone) out', 'is sent'],
  ['(?:goes|go|went) (?:its|their) (?:own )?way', 'proceeds'],
  ['such as it is|(?<!no \\w+ )of (?:its|their|his) own', 'its own, separate, or nothing'],
  ['beside', 'next to, with, or nothing'],
  ['counts? (?:for|from) (?:all|sends|messages|what|everyone)', 'applies to, takes effect'],
  ['with commas between', 'comma-separated'],
  ['how far', 'the progress of'],
  ['what (?:of|waits|still waits)', 'pending, or the thing by its name'],
  ['answer(?:s|ed|ing)? (?:with )?(?:a )?[1-5]\\d\\d|answered with', 'returns'],
  ['for good', 'permanently'],
  ['in turns|(?:its|their|a|each|one) turn', 'poll loop, scheduling round, one after another'],
  ['seldom', 'rarely'],
  ['anew', 'again'],
  ['passe[sd] over|(?<!(?:one|a|each|every) )pass over', 'skips'],
  ['in want of|for want of', 'for lack of'],
  ['in words', 'the reason, described, or nothing'],
  ['mends?|mended|mending', 'fixes, corrects or repairs'],
  ['go(?:es)? on|going on|went on', 'continues or proceeds'],
  ['(?<!there )(?:is|are|was|were) none(?! (?:of|to)\\b)', 'is not one, or is invalid'],
  ['for who', 'for a caller or reader who'],
];

const RULES: Rule[] = [
  ...PHRASES.map(([phrase, instead]) => ({
    pattern: new RegExp(`(?<![\\w-])(?:${phrase.replaceAll(' ', '\\s+')})(?![\\w-])`, 'gi'),
    instead,
  })),
  {
    pattern: /^(?:What|Whether|How|Where|Why|Who)\b[^.]{0,20}/g,
    instead: 'a verb, or the name of the value, first',
    kinds: ['comment'],
  },
  {
    pattern:
      /\((?:see )?(?:the )?(?:spec|decisions?|design)\b[^)]*\)|\b(?:spec|decisions|design|facts)\.md\b/g,
    instead: 'the rule itself, or docs/interface.md',
  },
  {
    pattern: /\(?\b[CS]\d{2,3}\b\)?/g,
    instead: 'the behaviour, without an id',
    kinds: ['test name', 'comment'],
  },
  { pattern: /;/g, instead: 'one behaviour for each test', kinds: ['test name'] },
];

/** Lists the phrases of a passage that its readers should not meet. */
export function findTics(passage: Passage): Finding[] {
  const text = passage.text.replace(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length));
  const findings = RULES.filter(({ kinds }) => kinds?.includes(passage.kind) ?? true).flatMap((rule) =>
    Array.from(text.matchAll(rule.pattern), ({ 0: phrase, index }) => ({
      line: passage.line + countLines(text.slice(0, index)),
      phrase: phrase.replace(/\s+/g, ' ').trim(),
      instead: rule.instead,
    })),
  );
  if (passage.kind !== 'test name' || passage.text.length < MAX_TEST_NAME) return findings;
  const tooLong = {
    line: passage.line,
    phrase: passage.text,
    instead: `a name below ${MAX_TEST_NAME} characters`,
  };
  return [...findings, tooLong];
}

/** Returns the prose of a file: of a page its text, of a program its comments, descriptions and test names. */
export function proseOf(path: string, source: string): Passage[] {
  if (path.endsWith('.md')) return [{ kind: 'page', line: 1, text: withoutCode(source) }];
  if (/\.ya?ml$|Dockerfile$/.test(path)) return [...hashComments(source), ...descriptions(source)];
  return [
    ...blockComments(source),
    ...lineComments(source),
    ...descriptions(source),
    ...(path.endsWith('.spec.ts') ? testNames(source) : []),
  ];
}

/** A page with its code blocks and link targets blanked. */
function withoutCode(page: string): string {
  return page.replace(/^```[^]*?^```/gm, (block) => block.replace(/[^\n]/g, '')).replace(/\]\([^)]*\)/g, ']');
}

function blockComments(source: string): Passage[] {
  return Array.from(source.matchAll(/^([^\n'"`/]*)\/\*\*?([^]*?)\*\//gm), ({ 2: text = '', index }) => ({
    kind: 'comment' as const,
    line: lineAt(source, index),
    text: text.replace(/^[ \t]*\*?[ \t]?/gm, ''),
  }));
}

/** Consecutive lines that begin with `//` are one passage. */
function lineComments(source: string): Passage[] {
  const lines = source
    .split('\n')
    .map((line) => /^(?:[^'"`/]|'[^']*'|"[^"]*"|`[^`]*`)*\/\/ (.*)$/.exec(line)?.[1]);
  return lines.flatMap((text, i): Passage[] => {
    if (text === undefined || (i > 0 && lines[i - 1] !== undefined)) return [];
    const end = lines.findIndex((line, j) => j > i && line === undefined);
    return [{ kind: 'comment', line: i + 1, text: lines.slice(i, end === -1 ? undefined : end).join('\n') }];
  });
}

function hashComments(source: string): Passage[] {
  return source
    .split('\n')
    .flatMap((line, i): Passage[] =>
      /^\s*# /.test(line) ? [{ kind: 'comment', line: i + 1, text: line.replace(/^\s*# /, '') }] : [],
    );
}

const STRING = String.raw`'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|` + '`((?:[^`\\\\]|\\\\.)*)`';
const DESCRIPTION = new RegExp(String.raw`\b(?:description|summary|help|action):\s*(?:${STRING})`, 'g');
const TEST_NAME = new RegExp(
  String.raw`(?:\b(?:test|describe)\w*(?:\.\w+)?|\))\(\s*(?:${STRING}),\s*(?:async\b|\(|\w+ =>)`,
  'g',
);

function descriptions(source: string): Passage[] {
  return strings(source, DESCRIPTION, 'description');
}

function testNames(source: string): Passage[] {
  return strings(source, TEST_NAME, 'test name');
}

function strings(source: string, pattern: RegExp, kind: Passage['kind']): Passage[] {
  return Array.from(source.matchAll(pattern), ({ 1: single, 2: double, 3: template, index }) => ({
    kind,
    line: lineAt(source, index),
    text: (single ?? double ?? template ?? '').replace(/\$\{[^}]*\}/g, 'x').replaceAll(String.raw`\'`, "'"),
  }));
}

function lineAt(source: string, index: number): number {
  return countLines(source.slice(0, index)) + 1;
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
