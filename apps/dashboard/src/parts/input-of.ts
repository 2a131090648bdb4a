import { onText } from './on-text.ts';

/** A draft that a form edits: how it is changed, and the sentence about a field that the api refused. */
interface Edited<Name extends string> {
  draft: Readonly<Record<Name, string>>;
  set: (change: Record<string, string>) => void;
  about: (field: string, value: string) => string | undefined;
}

/**
 * Binds a text input to a field of a draft, as `getInputProps` does for a form.
 *
 * @param path of the field in the request
 */
export function inputOf<Name extends string>(
  { draft, set, about }: Edited<Name>,
  name: Name,
  path: string = name,
) {
  const value = draft[name];
  return { value, error: about(path, value), onChange: onText((text) => set({ [name]: text })) };
}
