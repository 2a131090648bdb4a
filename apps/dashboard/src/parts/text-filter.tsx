import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { onText } from './on-text.ts';
import { useIsLeaving } from './use-is-leaving.ts';

/** Milliseconds without a key after which a filter applies while somebody types. */
const PAUSE_MS = 300;

interface TextFilterProps {
  label: string;
  placeholder?: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** Applies while somebody types, for lists that find by a part or a short name. */
  isImmediate?: boolean;
  w?: number;
}

/**
 * A filter of a list that applies when it is left or Enter is pressed, so that nothing looks for half a number. It keeps
 * the focus and what is typed while the list is read again. It does not apply any more once its page is being left.
 */
export function TextFilter({
  label,
  placeholder = label,
  value,
  onChange,
  isImmediate = false,
  w = 180,
}: TextFilterProps): ReactNode {
  const { text, setText, note } = useFollowing(value);
  const isLeaving = useIsLeaving();
  const apply = (typed: string) => {
    if (isLeaving()) return;
    const given = typed.trim() || undefined;
    if (note(given)) onChange(given);
  };
  const applySoon = useDebouncedCallback(apply, PAUSE_MS);
  const applyNow = () => {
    applySoon.cancel();
    apply(text);
  };
  const type = (typed: string) => {
    setText(typed);
    if (isImmediate) applySoon(typed);
  };
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      value={text}
      w={w}
      onChange={onText(type)}
      onBlur={applyNow}
      onKeyDown={(event) => {
        if (event.key === 'Enter') applyNow();
      }}
    />
  );
}

/** Text that follows a value of the address, except for the values that come from the text. */
function useFollowing(value: string | undefined) {
  const [text, setText] = useState(value ?? '');
  const latest = useRef(value);
  const own = useRef<(string | undefined)[]>([]);
  useEffect(() => {
    const place = own.current.indexOf(value);
    own.current = own.current.slice(place + 1);
    if (place >= 0 || value === latest.current) return;
    latest.current = value;
    own.current = [];
    setText(value ?? '');
  }, [value]);
  /** Notes a value that the text stands for. @returns false when it does so already */
  const note = (given: string | undefined): boolean => {
    if (given === latest.current) return false;
    latest.current = given;
    own.current.push(given);
    return true;
  };
  return { text, setText, note };
}
