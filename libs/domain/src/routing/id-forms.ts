/**
 * A rule, such as `hex:8`, that turns the id in a delivery report into the id that the gateway returned for its submit.
 * SMSCs write one id in two ways: in decimal and hexadecimal, in another case, with or without leading zeros, dashes or
 * a prefix.
 */
export type IdForm = string;

/** A spelling of a reported id, with every form that leads to it. */
export interface IdCandidate {
  id: string;
  forms: IdForm[];
}

/** Maximum characters of an id that is respelled; a longer one is only compared as it is. */
const MAX_ID = 64;

/** Lengths that SMSCs pad ids to. The lengths of ids of the gateway are tried as well. */
const WIDTHS = [8, 10, 16, 20];

const DECIMAL = /^\d+$/;
const HEXADECIMAL = /^[\da-f]+$/i;

type Spell = (id: string, argument: string) => string | undefined;

/** The forms by name. Undefined when an id has no such spelling. */
const FORMS: Readonly<Record<string, Spell>> = {
  exact: (id) => id,
  lower: (id) => id.toLowerCase(),
  upper: (id) => id.toUpperCase(),
  unpadded: (id) => id.replace(/^0+(?=.)/, ''),
  padded: (id, width) => id.padStart(Number(width), '0'),
  hex: (id, width) => toHexadecimal(id)?.padStart(Number(width), '0'),
  HEX: (id, width) => toHexadecimal(id)?.toUpperCase().padStart(Number(width), '0'),
  dec: (id, width) => toDecimal(id)?.padStart(Number(width), '0'),
  undashed: (id) => id.replaceAll('-', ''),
  dashed: toDashed,
  without: (id, prefix) => (id.startsWith(prefix) ? id.slice(prefix.length) : undefined),
  with: (id, prefix) => prefix + id,
};

/** Respells a reported id. @returns undefined when the form is unknown or does not apply to the id */
export function applyIdForm(form: IdForm, reportedId: string): string | undefined {
  const [name, argument] = partsOf(form);
  if (!Object.hasOwn(FORMS, name) || reportedId === '' || reportedId.length > MAX_ID) return undefined;
  return FORMS[name]!(reportedId, argument) || undefined;
}

/**
 * Lists every spelling under which the id of a report may have been answered, the reported one first.
 *
 * @param sample some ids that the gateway answered; their lengths and their shared prefix are tried
 */
export function idCandidates(reportedId: string, sample: readonly string[] = []): IdCandidate[] {
  const byId = new Map<string, IdForm[]>([[reportedId, ['exact']]]);
  for (const form of formsFor(reportedId, sample)) {
    const id = applyIdForm(form, reportedId);
    if (id === undefined) continue;
    const forms = byId.get(id);
    if (forms) forms.push(form);
    else byId.set(id, [form]);
  }
  return Array.from(byId, ([id, forms]) => ({ id, forms }));
}

/** Describes a form to operators. */
export function describeIdForm(form: IdForm): string {
  const [name, argument] = partsOf(form);
  const width = argument === '' || argument === '0' ? '' : `, padded with zeros to ${argument} digits`;
  const texts: Record<string, string> = {
    exact: 'the id as it is',
    lower: 'the id in lower case',
    upper: 'the id in upper case',
    unpadded: 'the id without leading zeros',
    padded: `the id, padded with zeros to ${argument} characters`,
    hex: `the decimal id in hexadecimal${width}`,
    HEX: `the decimal id in upper-case hexadecimal${width}`,
    dec: `the hexadecimal id in decimal${width}`,
    undashed: 'the id without dashes',
    dashed: 'the id with the dashes of a UUID',
    without: `the id without the prefix "${argument}"`,
    with: `the id with the prefix "${argument}"`,
  };
  return texts[name] ?? 'unknown';
}

function partsOf(form: IdForm): [name: string, argument: string] {
  const colon = form.indexOf(':');
  return colon < 0 ? [form, ''] : [form.slice(0, colon), form.slice(colon + 1)];
}

function formsFor(reportedId: string, sample: readonly string[]): IdForm[] {
  const widths = new Set([...WIDTHS, ...sample.map(({ length }) => length).filter((n) => n <= MAX_ID)]);
  const padded = (name: string): IdForm[] => Array.from(widths, (width) => `${name}:${width}`);
  return [
    'lower',
    'upper',
    'unpadded',
    ...padded('padded'),
    ...['hex', 'HEX', 'dec'].flatMap((name) => [`${name}:0`, ...padded(name)]),
    'undashed',
    'dashed',
    ...prefixesOf(reportedId).map((prefix) => `without:${prefix}`),
    ...sharedPrefix(sample).map((prefix) => `with:${prefix}`),
  ];
}

/** The leading letters of an id, and each beginning that ends with a separator. */
function prefixesOf(id: string): string[] {
  const separated = Array.from(id.matchAll(/[^\dA-Za-z]+/g), ({ 0: text, index }) =>
    id.slice(0, index + text.length),
  );
  const letters = /^[A-Za-z]+(?=\d)/.exec(id)?.[0];
  return [...new Set([...(letters === undefined ? [] : [letters]), ...separated])];
}

/** The beginning that all ids of a sample share, up to its last letter or separator: digits change. */
function sharedPrefix(sample: readonly string[]): string[] {
  const [first, ...others] = sample;
  if (first === undefined || others.length === 0) return [];
  let length = 0;
  while (length < first.length && others.every((id) => id[length] === first[length])) length += 1;
  const prefix = /^.*[^\d]/.exec(first.slice(0, length))?.[0];
  return prefix === undefined ? [] : [prefix];
}

function toHexadecimal(id: string): string | undefined {
  return DECIMAL.test(id) ? BigInt(id).toString(16) : undefined;
}

function toDecimal(id: string): string | undefined {
  return HEXADECIMAL.test(id) ? BigInt(`0x${id}`).toString() : undefined;
}

function toDashed(id: string): string | undefined {
  if (id.length !== 32 || !HEXADECIMAL.test(id)) return undefined;
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
