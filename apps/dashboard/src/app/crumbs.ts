import { type LinkProps, useMatch } from '@tanstack/react-router';
import type { MenuGroup } from './menu-entries.ts';
import { ITEMS } from './menu-items.ts';

/** A step above a page. */
export interface Crumb extends Pick<LinkProps, 'to' | 'params'> {
  /** Without `to` it is a group of the menu. */
  label: string;
}

/** Names of the groups above a page, outermost first. */
const ABOVE: Record<MenuGroup, readonly string[]> = {
  Overview: [],
  'Message app': ['Message app'],
  'Utility Manager': ['Message app', 'Utility Manager'],
  Operations: ['Operations'],
  You: [],
};

/** The steps above the page that this component belongs to, by the place of its address in the menu. */
export function useCrumbs(): Crumb[] {
  return crumbsOf(useMatch({ strict: false, select: ({ pathname }) => pathname }));
}

/** The groups of the menu entry of a path, and the entry itself above its subpages. */
export function crumbsOf(path: string): Crumb[] {
  const item = ITEMS.find(
    ({ to, covers = to, isAction }) => !isAction && [to, covers].some((root) => isBelow(path, root)),
  );
  if (!item) return [];
  const groups = ABOVE[item.group].map((label) => ({ label }));
  return path === item.to ? groups : [...groups, { label: item.label, to: item.to }];
}

function isBelow(path: string, root: string): boolean {
  return path === root || (root !== '/' && path.startsWith(`${root}/`));
}
