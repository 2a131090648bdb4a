import { pageRoute } from '../../app/page-route.ts';

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

const phone = pageRoute(
  '/phone',
  () => import('./phone.page.tsx'),
  'PhonePage',
  ({ number, thread }: Record<string, unknown>): PhoneSearch => ({
    ...(/\d/.test(digitsOf(number)) && { number: digitsOf(number) }),
    ...(typeof thread === 'string' && { thread }),
  }),
);

export const phoneRoutes = [phone] as const;
