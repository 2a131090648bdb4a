import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { inShell } from '../../app/shell.route.tsx';

/** The phone that the page shows, and the conversation on it. */
interface PhoneSearch {
  number?: string;
  /** `sms:SIGNALBX`. */
  thread?: string;
}

/** A number in an address arrives as a number or as text. */
function digitsOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).replace(/\D/g, '') : '';
}

const phone = createRoute({
  ...inShell,
  path: '/phone',
  validateSearch: ({ number, thread }: Record<string, unknown>): PhoneSearch => ({
    ...(/\d/.test(digitsOf(number)) && { number: digitsOf(number) }),
    ...(typeof thread === 'string' && { thread }),
  }),
  component: lazyPage(() => import('./phone.page.tsx'), 'PhonePage'),
});

export const phoneRoutes = [phone] as const;
