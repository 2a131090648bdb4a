import type { Icon } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Scope } from './session.ts';

/** Groups of the menu, in their order. */
export const MENU_GROUPS = ['Overview', 'Message app', 'Utility Manager', 'Operations'] as const;

/** An entry of the menu, declared with its route as `staticData: { menu: { … } }`. */
export interface MenuEntry {
  /** `You` is the menu of the person, at the top right. */
  group: (typeof MENU_GROUPS)[number] | 'You';
  label: string;
  /** Place within the group, from the top. */
  order: number;
  icon: ComponentType<{ size?: number; stroke?: number }> | Icon;
  /** Scope without which the entry is not shown. */
  needs?: Scope;
  /** Feature of the installation without which the entry is not shown. */
  feature?: 'simulator';
  /** Words by which ⌘K finds the page, besides its label. */
  keywords?: string;
  /** Set for a page that makes something: the search lists it, but not for viewers, and the menu leaves it out. */
  isAction?: true;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    menu?: MenuEntry;
  }
}
