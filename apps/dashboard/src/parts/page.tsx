import { Box, Breadcrumbs, Group, Text, Title } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { type Crumb, useCrumbs } from '../app/crumbs.ts';
import type { Scope } from '../app/session.ts';
import { useMay } from '../app/use-session.ts';
import { EmptyState } from './empty-state.tsx';
import { TextLink } from './links.tsx';
import classes from './page.module.css';
import { usePageFocus } from './use-page-focus.ts';

export interface PageProps {
  title: string;
  /** Status next to the title. */
  status?: ReactNode;
  /** One sentence below the title. */
  lead?: ReactNode;
  /** The page directly above this one, where that is not the one in the menu. */
  parent?: Crumb | undefined;
  /** Buttons on the right of the title. */
  actions?: ReactNode;
  /** The content is for those who may write with this scope; others read that their role does not allow it. */
  scope?: Scope;
  children: ReactNode;
}

/** A page: title, breadcrumbs, actions, content. It names the tab as well, and takes the focus when it is opened. */
export function Page({ title, status, lead, parent, actions, scope, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Signalbox`;
  }, [title]);
  const top = useRef<HTMLHeadingElement>(null);
  usePageFocus(top, title);
  const crumbs = [...useCrumbs(), ...(parent ? [parent] : [])];
  return (
    <Box className={classes['page']}>
      <Box className={classes['head']}>
        {crumbs.length > 0 && <Crumbs crumbs={crumbs} />}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Box miw={0} maw="100%">
            <Title ref={top} order={1} tabIndex={-1} className={classes['title']!}>
              {status === undefined ? (
                title
              ) : (
                <Group gap="sm" component="span">
                  {title}
                  {status}
                </Group>
              )}
            </Title>
            {lead !== undefined && (
              <Text c="dimmed" mt={2} component="div" className={classes['lead']!}>
                {lead}
              </Text>
            )}
          </Box>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
      </Box>
      {scope === undefined ? children : <NeedsRight scope={scope}>{children}</NeedsRight>}
    </Box>
  );
}

function NeedsRight({ scope, children }: { scope: Scope; children: ReactNode }): ReactNode {
  if (useMay(scope)) return children;
  return (
    <EmptyState
      icon={IconLock}
      title="Your role does not allow this"
      text="Ask an admin of the account for a role that may do it."
    />
  );
}

function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }): ReactNode {
  return (
    <Breadcrumbs
      separator="›"
      separatorMargin={6}
      mb={6}
      component="nav"
      aria-label="Breadcrumbs"
      style={{ flexWrap: 'wrap', rowGap: 4 }}
      styles={{ breadcrumb: { whiteSpace: 'normal', overflowWrap: 'anywhere', minWidth: 0 } }}
    >
      {crumbs.map(({ label, ...place }) =>
        place.to === undefined ? (
          <Text key={label} size="sm" c="dimmed">
            {label}
          </Text>
        ) : (
          <TextLink key={label} size="sm" {...place}>
            {label}
          </TextLink>
        ),
      )}
    </Breadcrumbs>
  );
}
