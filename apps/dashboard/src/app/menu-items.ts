import type { AnyRoute, AnyRouter } from '@tanstack/react-router';
import type { MenuEntry } from './menu-entry.ts';
import type { Session } from './session.ts';

/** An entry of the menu with the path of its page. */
export interface MenuItem extends MenuEntry {
  to: string;
}

/** Collects the entries that routes declare and a session may open, in the order of the menu; actions last. */
export function menuOf(router: AnyRouter, session: Session): MenuItem[] {
  return Object.values<AnyRoute>(router.routesById)
    .flatMap((route) => {
      const { menu } = (route.options.staticData ?? {}) as { menu?: MenuEntry };
      return menu ? [{ ...menu, to: route.fullPath as string }] : [];
    })
    .filter((item) => mayOpen(item, session))
    .toSorted((a, b) => Number(a.isAction ?? false) - Number(b.isAction ?? false) || a.order - b.order);
}

/** Pages of the menu that only write. */
const WRITING: ReadonlySet<string> = new Set(['/send']);

function mayOpen(
  { needs, feature, isAction, to }: MenuItem,
  { scopes, features, readOnly }: Session,
): boolean {
  if (readOnly && (isAction || WRITING.has(to))) return false;
  return (!needs || scopes.includes(needs)) && (!feature || features[feature]);
}
