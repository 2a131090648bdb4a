import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { Unsaved } from './unsaved.tsx';

interface FormProps {
  /** True while the form holds input that is not saved. */
  isChanged: boolean;
  isSaving: boolean;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  className?: string | undefined;
  children: ReactNode;
}

/** A form that asks before its unsaved input is left, and that leads to the first wrong field when it was refused. */
export function Form({ isChanged, isSaving, onSubmit, className, children }: FormProps): ReactNode {
  const form = useRef<HTMLFormElement>(null);
  const afterSubmit = useLeadToError(form, isSaving);
  const hasBegun = useRef(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    if (isSaving || hasBegun.current) return event.preventDefault();
    // the second half of a double click comes before `isSaving` is rendered
    hasBegun.current = true;
    setTimeout(() => (hasBegun.current = false));
    onSubmit(event);
    afterSubmit();
  };
  return (
    <form ref={form} className={className} noValidate onSubmit={submit}>
      <Unsaved isChanged={isChanged} />
      {children}
    </form>
  );
}

/**
 * Moves the focus to the first wrong field after a submit: when its call has ended, or immediately where the page refuses
 * it. Input in between ends that, so that nobody is moved away while typing.
 */
export function useLeadToError(place: RefObject<HTMLElement | null>, isSaving: boolean): () => void {
  const isDue = useRef(false);
  useEffect(() => {
    if (isSaving || !isDue.current) return;
    const wrong = place.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    if (!wrong) return;
    isDue.current = false;
    wrong.focus();
  });
  useEffect(() => {
    const end = () => {
      isDue.current = false;
    };
    const element = place.current;
    element?.addEventListener('input', end);
    return () => element?.removeEventListener('input', end);
  }, [place]);
  return () => {
    isDue.current = true;
  };
}
