import { pick } from './random.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Values that programs of all kinds stumble over. */
const HOSTILE: readonly Json[] = [
  null,
  true,
  false,
  '',
  ' ',
  0,
  -1,
  1.5,
  -0.1,
  32_768,
  2_147_483_647,
  2_147_483_648,
  4_294_967_296,
  Number.MAX_SAFE_INTEGER,
  2 ** 53 + 2,
  2 ** 63,
  1e21,
  1e308,
  -1e308,
  [],
  {},
  [null],
  [[]],
  '\u0000',
  '\ud800',
  '\udfff\ud800',
  '\ufffe\uffff',
  '\u202e',
  '\u200b',
  '💩'.repeat(300),
  'x'.repeat(70_000),
  '1'.repeat(400),
  '-1',
  '1e400',
  '0x10',
  'NaN',
  'null',
  'undefined',
  "' OR 1=1 --",
  '{{1}}{{999999999999}}',
  '{{shortUrl}}',
  '{#var#}',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '%00%ff',
  '\r\nX-Injected: 1',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-12:00',
  '2030-W05-1',
  '2030-02-30T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '2026-11-22',
  '+275760-09-13T00:00:00Z',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-7FFF-BFFF-FFFFFFFFFFFF',
  '00000000-0000-7000-8000-000000000000:1',
  '00000000-0000-7000-8000-000000000000:99999999999999999999',
  '919812345678',
  '+0',
  '999999999999999',
  'http://[::1]/',
  'http://127.0.0.1:1/',
  'http://0x7f.1/',
  'http://user:pw@127.0.0.1/',
  'http://127.0.0.1:99999/',
  'javascript:alert(1)',
  nested(40),
  Array.from({ length: 1_001 }, () => 'x'),
];

const NAMES = [
  '__proto__',
  'constructor',
  'dryRun',
  'id',
  '',
  'x'.repeat(300),
  '\u0000',
  'to',
  'length',
  'toString',
];

function nested(depth: number): Json {
  return depth === 0 ? 'deep' : [nested(depth - 1)];
}

function hostile(random: () => number): Json {
  return structuredClone(pick(random, HOSTILE));
}

/** Returns a hostile value as text, for a query or a path. */
export function hostileText(random: () => number): string {
  const value = pick(random, HOSTILE);
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 4_000);
}

/** Changes some members of a JSON value; the value itself stays. */
export function mutate(random: () => number, value: unknown, times: number): unknown {
  let mutant = structuredClone(value) as Json;
  for (let i = 0; i < times; i += 1) mutant = mutateOnce(random, mutant);
  return mutant;
}

/** Breaks the text of a body: cuts, repeats or replaces a part of it. */
export function breakText(random: () => number, text: string): Buffer {
  const bytes = Buffer.from(text);
  const at = Math.floor(random() * bytes.length);
  const parts = [bytes.subarray(0, at), bytes.subarray(at)] as const;
  const broken: readonly (() => Buffer)[] = [
    () => parts[0],
    () => Buffer.concat([parts[0], Buffer.from([0xff, 0xfe, 0x00, 0xc0]), parts[1]]),
    () => Buffer.concat([bytes, bytes]),
    () => Buffer.concat([parts[0], Buffer.from(','), parts[1]]),
    () => Buffer.from('['.repeat(5_000)),
    () => Buffer.alloc(0),
  ];
  return pick(random, broken)();
}

function mutateOnce(random: () => number, root: Json): Json {
  const places = placesIn(root);
  if (places.length === 0 || random() < 0.02) return hostile(random);
  const { parent, name } = pick(random, places);
  const acts: readonly (() => void)[] = [
    () => set(parent, name, hostile(random)),
    () => set(parent, name, hostile(random)),
    () => set(parent, name, bend(random, get(parent, name))),
    () => set(parent, name, bend(random, get(parent, name))),
    () => set(parent, name, structuredClone(get(...here(pick(random, places))))),
    () => remove(parent, name),
    () => set(parent, name, [get(parent, name)]),
    () => set(parent, name, { [pick(random, NAMES)]: get(parent, name) }),
    () => add(random, parent),
  ];
  pick(random, acts)();
  return root;
}

interface Place {
  parent: Json[] | Record<string, Json>;
  name: string;
}

function here({ parent, name }: Place): [Place['parent'], string] {
  return [parent, name];
}

function placesIn(value: Json): Place[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => [{ parent: value, name }, ...placesIn(member)]);
}

function get(parent: Place['parent'], name: string): Json {
  return (parent as Record<string, Json>)[name] ?? null;
}

function set(parent: Place['parent'], name: string, value: Json): void {
  Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
}

function remove(parent: Place['parent'], name: string): void {
  if (Array.isArray(parent)) parent.splice(Number(name), 1);
  else delete parent[name];
}

function add(random: () => number, parent: Place['parent']): void {
  if (Array.isArray(parent)) parent.push(...structuredClone(parent), hostile(random));
  else set(parent, pick(random, NAMES), hostile(random));
}

/** A value close to the given one: a character more or less, another case, a neighbour of a number. */
function bend(random: () => number, value: Json): Json {
  if (typeof value === 'number') return value + pick(random, [-1, 1, 0.5, 1e9, -2 * value, value * 1e6]);
  if (typeof value === 'boolean') return pick(random, [!value, String(value), Number(value)]);
  if (typeof value !== 'string') return [value, structuredClone(value)];
  const at = Math.floor(random() * (value.length + 1));
  const strange = pick(random, [
    '\u0000',
    '\ud83d',
    '{{',
    '}}',
    ' ',
    '\n',
    '"',
    "'",
    '-',
    ':',
    ',',
    '%',
    '٣',
    'é',
    '\u2028',
  ]);
  return pick(random, [
    value.slice(0, at),
    value.slice(at),
    value.slice(0, at) + strange + value.slice(at),
    value.repeat(2),
    value.repeat(40),
    value.toUpperCase(),
    ` ${value} `,
    `${value}${pick(random, ['T00:00:00Z', ':1', '.5', '@', '\u0000'])}`,
  ]);
}
