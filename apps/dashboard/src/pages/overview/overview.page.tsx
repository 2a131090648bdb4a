import type { ReactNode } from 'react';
import { Page } from '../../parts/page.tsx';

/** The state of the account at a glance. */
export function OverviewPage(): ReactNode {
  return <Page title="Overview">{null}</Page>;
}
