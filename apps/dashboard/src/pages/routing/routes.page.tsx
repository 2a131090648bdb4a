import { Button, Stack } from '@mantine/core';
import { IconPlus, IconRoute } from '@tabler/icons-react';
import { listRoutes } from '@signalbox/client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { ExplainPanel } from './explain-panel.tsx';
import { RouteTable } from './route-table.tsx';
import { WORDS } from './words.ts';

/** All routes in the order in which they are tried, and the what-if router. */
export function RoutesPage(): ReactNode {
  const routes = useAnswer(['routes', 'list'], (signal) => listRoutes({ signal }), {
    live: ['route'],
  });
  const addButton = useMay('ops') && (
    <Button leftSection={<IconPlus size={16} />} renderRoot={(props) => <Link {...props} to="/routes/add" />}>
      {WORDS.add}
    </Button>
  );
  return (
    <Page title={WORDS.title} lead={WORDS.lead} crumbs={[{ label: 'Operations' }]} actions={addButton}>
      <Loaded answer={routes} height={240}>
        {(data) => (
          <Stack gap="xl">
            {data.length === 0 ? (
              <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} icon={IconRoute}>
                {addButton}
              </EmptyState>
            ) : (
              <RouteTable routes={data} />
            )}
            <ExplainPanel />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
