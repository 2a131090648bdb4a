import { type RefObject, useRef, useState } from 'react';
import { fieldErrorsOf } from '../../api/failure.ts';
import { useLeadToError } from '../../parts/form.tsx';

/** The refusal of a composed message, at its fields. */
export interface Refusal {
  /** Goes around the fields. */
  place: RefObject<HTMLDivElement | null>;
  /** The sentence about a field of the request, or about a member of it. */
  about: (field: string) => string | undefined;
  /** True while a field shows such a sentence. */
  isShown: boolean;
  /** Shows a failure at the fields that it names; false when it names none of them. */
  show: (failure: unknown) => boolean;
  /** The answer of a call, or undefined when its refusal is shown at fields. */
  unlessRefused: <Body>(call: Promise<Body>) => Promise<Body | undefined>;
  clear: () => void;
}

/** Shows the refusals of a send at the fields of the composer, and leads to the first. */
export function useRefusal(fields: readonly string[]): Refusal {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const place = useRef<HTMLDivElement>(null);
  const lead = useLeadToError(place, false);
  const show = (failure: unknown): boolean => {
    const named = Object.entries(fieldErrorsOf(failure)).map(([path, text]) => [rootOf(path), text] as const);
    const known = named.filter(([field]) => fields.includes(field));
    setErrors(Object.fromEntries(known.toReversed()));
    if (known.length > 0) lead();
    return known.length > 0;
  };
  return {
    place,
    about: (field) => errors[field],
    isShown: Object.keys(errors).length > 0,
    show,
    unlessRefused: (call) =>
      call.catch((failure: unknown) => {
        if (show(failure)) return undefined;
        throw failure;
      }),
    clear: () => setErrors((before) => (Object.keys(before).length > 0 ? {} : before)),
  };
}

/** The field of a member: `to[3]` is of `to`. */
function rootOf(path: string): string {
  return path.replace(/[[.].*$/, '');
}
