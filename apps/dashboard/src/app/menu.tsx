import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { MENU_GROUPS } from './menu-entry.ts';
import classes from './shell.module.css';
import { type MenuItem, menuOf } from './menu-items.ts';
import { useSession } from './use-session.ts';

/** Groups and pages that the session may open. */
export function Menu(): ReactNode {
  const session = useSession();
  const items = menuOf(useRouter(), session);
  return (
    <nav className={classes['menu']} aria-label="Pages">
      {MENU_GROUPS.map((group) => (
        <MenuGroup key={group} name={group} items={items.filter((item) => item.group === group)} />
      ))}
    </nav>
  );
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
