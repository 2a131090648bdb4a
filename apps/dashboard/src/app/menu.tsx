import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import classes from './shell.module.css';
import { GROUPS, type MenuItem, menuOf } from './menu-items.ts';
import { useSession } from './use-session.ts';

/** Groups and pages that the session may open. */
export function Menu(): ReactNode {
  const session = useSession();
  const items = menuOf(session).filter(({ isAction }) => !isAction);
  const nav = useRef<HTMLElement>(null);
  useActiveInView(nav);
  return (
    <nav ref={nav} className={classes['menu']} aria-label="Pages">
      {GROUPS.filter((group) => group !== 'You').map((group) => (
        <MenuGroup key={group} name={group} items={items.filter((item) => item.group === group)} />
      ))}
    </nav>
  );
}

/** Scrolls the menu until the entry of the page is in view, also when the page was opened by an address. */
function useActiveInView(nav: RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  useEffect(() => {
    const entry = nav.current?.querySelector('[data-status="active"]');
    if (nav.current && entry) scrollTo(nav.current, entry);
  }, [nav, path]);
}

/**
 * Scrolls a list just far enough to show one of its entries. After `scrollIntoView` some browsers move the focus on from
 * that entry at the next Tab, past the link that skips the menu.
 */
function scrollTo(list: Element, entry: Element): void {
  const view = list.getBoundingClientRect();
  const { top, bottom } = entry.getBoundingClientRect();
  list.scrollTop += Math.min(0, top - view.top) + Math.max(0, bottom - view.bottom);
}

function MenuGroup({ name, items }: { name: string; items: readonly MenuItem[] }): ReactNode {
  if (items.length === 0) return null;
  return (
    <div>
      {name !== 'Overview' && <div className={classes['group']}>{name}</div>}
      {items.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          className={classes['link']!}
          activeOptions={{ exact: to === '/', includeSearch: false }}
        >
          <Icon size={17} stroke={1.7} />
          {label}
        </Link>
      ))}
    </div>
  );
}
