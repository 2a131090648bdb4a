import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  type RefObject,
  createContext,
  use,
  useEffect,
  useReducer,
  useRef,
} from 'react';
import { Unsaved } from './unsaved.tsx';
import { useBusy } from './use-busy.ts';

/** True in a form whose act is under way. */
const IsSubmitting = createContext(false);

interface FormProps extends Pick<ComponentProps<'form'>, 'className' | 'style' | 'role'> {
  /** True while the form holds input that is not saved; without it the form is left without a question. */
  isChanged?: boolean;
  /** True when the browser checks what fields require, before the act. */
  isCheckedByBrowser?: boolean;
  /** Acts; its promise ends when the page shows the outcome, as that of `mutateAsync`. */
  onSubmit: () => Promise<unknown> | void;
  children: ReactNode;
}

/**
 * A form that acts once at a time, that asks before its unsaved input is left, and that leads to the first wrong field when
 * it was refused. Its button is a `SubmitButton`.
 */
export function Form({
  isChanged,
  isCheckedByBrowser = false,
  onSubmit,
  children,
  ...form
}: FormProps): ReactNode {
  const element = useRef<HTMLFormElement>(null);
  const { isBusy, run } = useBusy(() => {
    leadToError();
    return onSubmit();
  });
  const leadToError = useLeadToError(element, isBusy);
  // renders after a refusal by the page too, which may change nothing, so that it leads to the field
  const [, renderAgain] = useReducer((times: number) => times + 1, 0);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run().then(renderAgain);
  };
  return (
    <form {...form} ref={element} noValidate={!isCheckedByBrowser} onSubmit={submit}>
      {isChanged !== undefined && <Unsaved isChanged={isChanged} />}
      <IsSubmitting value={isBusy}>{children}</IsSubmitting>
    </form>
  );
}

/** True while the act of the form around a component is under way. */
export function useIsSubmitting(): boolean {
  return use(IsSubmitting);
}

/** Wrong fields. A group of checkboxes is not marked as wrong, nor is the input in the frame of a password. */
const WRONG =
  '[aria-invalid=true]:not(div), .mantine-InputWrapper-root:has(> .mantine-InputWrapper-error) input';

/**
 * Moves the focus to the first wrong field after a submit: when its call has ended, or immediately where the page refuses
 * it. Input in between ends that, so that nobody is moved away while typing.
 */
export function useLeadToError(place: RefObject<HTMLElement | null>, isSaving: boolean): () => void {
  const isDue = useRef(false);
  useEffect(() => {
    if (isSaving || !isDue.current) return;
    const wrong = place.current?.querySelector<HTMLElement>(WRONG);
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
