import 'reflect-metadata';
import type { Violation } from '@signalbox/domain/violation';
import { inOurWords } from '@signalbox/gateways/read-settings';
import { findSpaceProblem } from '@signalbox/runtime/config-problem';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import {
  type Document,
  LineCounter,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  parseDocument,
} from 'yaml';
import { GatewaysFileSpec } from './specs.ts';

/** A place in the file, and what is wrong there. */
export interface FileProblem {
  /** Counted from 1. */
  line: number;
  /** As `gateways[0].settings.host`; empty for the file as a whole. */
  field: string;
  message: string;
}

/** A GATEWAYS_FILE that cannot be applied, with every problem and its line. */
export class InvalidGatewaysFile extends Error {
  override name = 'InvalidGatewaysFile';

  readonly problems: readonly FileProblem[];

  /**
   * @param problems in any order; they are sorted by line
   * @param path of the file, where it is known
   */
  constructor(
    problems: readonly FileProblem[],
    readonly path?: string,
  ) {
    const sorted = problems.toSorted((a, b) => a.line - b.line);
    super(
      sorted.map(({ line, field, message }) => `line ${line}: ${`${field} ${message}`.trim()}`).join('\n'),
    );
    this.problems = sorted;
  }
}

/** A GATEWAYS_FILE that cannot be read. */
export class UnreadableGatewaysFile extends Error {
  override name = 'UnreadableGatewaysFile';
  /** As that of the error of the file system. */
  readonly code: string | undefined;

  constructor(
    readonly path: string,
    cause: NodeJS.ErrnoException,
  ) {
    super(
      `GATEWAYS_FILE names ${path}, which cannot be read (${cause.code}): name a file that this process may read`,
      { cause },
    );
    this.code = cause.code;
  }
}

/** A read file: gateways and routes, and the lines of their fields. */
export interface GatewaysFile {
  /** Of the declared types as far as there are no problems. */
  spec: GatewaysFileSpec;
  /** Variables that are not set, credentials in clear text, and fields of a wrong name or type. */
  problems: readonly FileProblem[];
  /** The problem of a rule that needs other rows, with its line. */
  problemOf: (path: string, violation: Pick<Violation, 'field' | 'message'>) => FileProblem;
}

/** Maximum size of the file. */
const MAX_BYTES = 1_000_000;
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
const ONLY_VARIABLES = /^(\$\{[A-Za-z_][A-Za-z0-9_]*\})+$/;

/**
 * Reads the text of GATEWAYS_FILE: YAML with lists `gateways` and `routes`. A value may hold `${NAME}`, which stands
 * for a variable of the environment. Credentials consist of variables only, so that the file can be shared.
 *
 * @throws InvalidGatewaysFile for a text that is empty, no YAML, or no mapping
 */
export function readGatewaysFile(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): GatewaysFile {
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new InvalidGatewaysFile([{ line: 1, field: '', message: 'The file is larger than 1 MB.' }]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  if (document.errors.length > 0)
    throw new InvalidGatewaysFile(
      firstOfEachLine(
        document.errors.map((error) => ({
          line: lineAt(error.pos[0]),
          field: '',
          message: wordsOn(error, text),
        })),
      ),
    );
  const lineOf = (path: string): number => lineAt(offsetOf(document, path));
  const problems = fillVariables(document, environment).map((each) => ({
    ...each,
    line: lineOf(each.field),
  }));
  const spec = plainToInstance(GatewaysFileSpec, plainOf(document));
  const isNew = ({ field }: Found): boolean => !problems.some((each) => each.field === field);
  const violations = violationsOf(spec).filter(isNew);
  problems.push(...violations.map((each) => ({ ...each, line: lineOf(each.field) })));
  return {
    spec,
    problems,
    problemOf: (path, { field, message }) => {
      const whole = field === '' ? path : `${path}.${field}`;
      return { line: lineOf(whole), field: whole, message };
    },
  };
}

function plainOf(document: Document): object {
  const plain = document.toJS({ maxAliasCount: 50 }) as unknown;
  if (plain === null || plain === undefined)
    throw new InvalidGatewaysFile([
      {
        line: 1,
        field: '',
        message:
          'The file is empty, which would disable every gateway of an earlier one. For that, write `gateways: []` and `routes: []`.',
      },
    ]);
  if (typeof plain === 'object' && !Array.isArray(plain)) return plain;
  throw new InvalidGatewaysFile([
    { line: 1, field: '', message: 'The file must hold `gateways` and `routes`.' },
  ]);
}

type Found = Omit<FileProblem, 'line'>;

function violationsOf(spec: GatewaysFileSpec): Found[] {
  const options = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true };
  return validateSync(spec, options).flatMap((error) => foundIn(error, ''));
}

function foundIn({ property, constraints, children, target }: ValidationError, path: string): Found[] {
  const field = Array.isArray(target)
    ? `${path}[${property}]`
    : path === ''
      ? property
      : `${path}.${property}`;
  const messages = typesFirst(Object.entries(constraints ?? {})).map(([rule, message]) =>
    rule === 'whitelistValidation'
      ? 'is unknown: remove it, or correct its name'
      : inOurWords(rule, message.replace(`${property} `, '')),
  );
  return [
    ...messages.slice(0, 1).map((message) => ({ field, message })),
    ...(children ?? []).flatMap((child) => foundIn(child, field)),
  ];
}

const TYPES = new Set(['isInt', 'isString', 'isNumber', 'isArray', 'isObject']);

/** A value of a wrong type breaks the limits too, which says nothing. */
function typesFirst(constraints: [rule: string, message: string][]): [rule: string, message: string][] {
  return constraints.toSorted(([a], [b]) => Number(TYPES.has(b)) - Number(TYPES.has(a)));
}

/** Drops the errors that the first one of a line brings about. */
function firstOfEachLine<Problem extends { line: number }>(problems: Problem[]): Problem[] {
  return problems.filter(({ line }, i) => problems.findIndex((other) => other.line === line) === i);
}

/** Explains the error that a variable without quotes makes: after one, YAML takes its brace for a mapping. */
function wordsOn(
  { pos: [offset], message }: { pos: [number, number]; message: string },
  text: string,
): string {
  const isVariable = text[offset] === '{' && text[offset - 1] === '$';
  return isVariable ? 'A variable inside { } needs quotes: "${NAME}"' : message;
}

/** Fills in the variables of all texts in place. */
function fillVariables(
  document: Document,
  environment: Readonly<Record<string, string | undefined>>,
): Found[] {
  const problems: Found[] = [];
  const visit = (node: unknown, path: string): void => {
    if (isScalar(node) && isClearSecret(path, node.value))
      problems.push({
        field: path,
        message: 'must be ${NAME}, the variable of the environment that holds it',
      });
    if (isScalar(node) && typeof node.value === 'string') {
      const { value } = node;
      node.value = value.replaceAll(VARIABLE, (_, name: string) => {
        const given = environment[name];
        const spaces = findSpaceProblem(`needs the variable ${name}, which`, given);
        if (given === undefined || given === '')
          problems.push({
            field: path,
            message: `needs the variable ${name}, which the environment does not set`,
          });
        else if (spaces !== undefined) problems.push({ field: path, message: spaces });
        return given ?? '';
      });
    } else if (isMap(node)) {
      for (const { key, value } of node.items)
        visit(value, join(path, String(isScalar(key) ? key.value : key)));
    } else if (isCollection(node)) {
      for (const [i, item] of node.items.entries()) visit(isPair(item) ? item.value : item, `${path}[${i}]`);
    }
  };
  visit(document.contents, '');
  return problems;
}

/** Null stands for no credential. */
function isClearSecret(path: string, value: unknown): boolean {
  if (!/(^|\.)secrets\.[^.]*$/.test(path) || value === null) return false;
  return typeof value !== 'string' || !ONLY_VARIABLES.test(value);
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Finds the beginning of the deepest known part of a path. */
function offsetOf(document: Document, path: string): number {
  const steps = path.split(/\.|\[|\]\.?/).filter((step) => step !== '');
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of steps) {
    if (!isCollection(node)) break;
    const pair = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step)
      : undefined;
    const next: unknown = isMap(node) ? pair?.value : node.items[Number(step)];
    const at = pair && isNode(pair.key) ? pair.key : next;
    if (!isNode(at)) break;
    offset = at.range?.[0] ?? offset;
    node = next;
  }
  return offset;
}
