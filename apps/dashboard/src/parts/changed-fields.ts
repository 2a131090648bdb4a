import { isSame } from './is-same.ts';

/**
 * Returns the fields of a request that differ from those of the form as it was opened. A save that holds nothing else
 * leaves alone what others have changed since.
 */
export function changedFields<Body extends object>(opened: Partial<Body>, body: Body): Partial<Body> {
  const isChanged = (name: string): boolean => !isSame(opened[name as keyof Body], body[name as keyof Body]);
  return Object.fromEntries(Object.entries(body).filter(([name]) => isChanged(name))) as Partial<Body>;
}
