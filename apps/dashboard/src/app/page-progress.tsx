import { useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './shell.module.css';

/** A line at the top while the next page is loaded: until then the page before it is shown. */
export function PageProgress(): ReactNode {
  const isOpening = useRouterState({ select: ({ status }) => status === 'pending' });
  if (!isOpening) return null;
  return <div role="progressbar" aria-label="Opening the page" className={classes['progress']} />;
}
