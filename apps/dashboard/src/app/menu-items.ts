import { MENU, type MenuEntry, type MenuGroup } from './menu-entries.ts';
import type { Session } from './session.ts';

/** An entry of the menu with its group. */
export interface MenuItem extends MenuEntry {
  group: MenuGroup;
}

export const GROUPS = Object.keys(MENU) as MenuGroup[];

/** All entries, in the order of the menu. */
export const ITEMS: readonly MenuItem[] = GROUPS.flatMap((group) =>
  MENU[group].map((entry: MenuEntry) => ({ ...entry, group })),
);

/** Lists the entries that a session may open, in the order of the menu; actions last. */
export function menuOf(session: Session): MenuItem[] {
  const items = ITEMS.filter((item) => mayOpen(item, session));
  return [...items.filter(({ isAction }) => !isAction), ...items.filter(({ isAction }) => isAction)];
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
