import type { Category, TemplateComponent } from './template.ts';

/** A field that two versions of a template have differently. */
export interface TemplateChange {
  /** `category`, or the path below the type of its component: `BODY.text`, `BUTTONS.buttons[0].url`. */
  field: string;
  /** Null when the field was added. */
  before: string | null;
  /** Null when the field was removed. */
  after: string | null;
}

interface Version {
  category: Category;
  components: readonly TemplateComponent[];
}

/** Lists the fields that changed between two versions, in the order of the newer one, removed fields last. */
export function templateChanges(before: Version, after: Version): TemplateChange[] {
  const [old, fresh] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...fresh.keys(), ...old.keys()])]
    .filter((field) => old.get(field) !== fresh.get(field))
    .map((field) => ({ field, before: old.get(field) ?? null, after: fresh.get(field) ?? null }));
}

/** A template has one component of each type, so that its order among the others is no change. */
function fieldsOf({ category, components }: Version): Map<string, string> {
  const fields = new Map([['category', category as string]]);
  for (const { type, ...members } of components) addFields(fields, type, members);
  return fields;
}

function addFields(fields: Map<string, string>, path: string, value: unknown): void {
  if (Array.isArray(value)) value.forEach((each, i) => addFields(fields, `${path}[${i}]`, each));
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) addFields(fields, `${path}.${name}`, member);
  else if (value !== undefined) fields.set(path, typeof value === 'string' ? value : JSON.stringify(value));
}
