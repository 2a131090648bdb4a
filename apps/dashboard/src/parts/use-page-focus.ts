import { useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect } from 'react';

const SIGN_IN = '/sign-in';

/** The path that was shown last; undefined until the first page. */
let shownPath: string | undefined;
/** True after the first page that a person has opened. */
let hasOpened = false;

/**
 * Moves the focus to the heading of a page that a person has opened, and again where that heading is replaced, as by the
 * answer of the page. The first page, and the one after the sign-in, leave the focus where the browser puts it.
 */
export function usePageFocus(heading: RefObject<HTMLElement | null>, title: string): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  useEffect(() => {
    if (path === undefined || path === SIGN_IN) return;
    const isOpened = shownPath !== undefined && shownPath !== path;
    const isLost = shownPath === path && hasOpened && document.activeElement === document.body;
    if (isOpened) hasOpened = true;
    shownPath = path;
    if (isOpened || isLost) heading.current?.focus({ preventScroll: true });
  }, [path, title, heading]);
}
