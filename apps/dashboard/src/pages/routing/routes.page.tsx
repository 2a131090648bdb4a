import { Card, Stack } from '@mantine/core';
import { listRoutes } from '@signalbox/client';
import { IconPlus, IconRoute } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LinkButton } from '../../parts/links.tsx';
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
    <LinkButton leftSection={<IconPlus size={16} />} to="/routes/add">
      {WORDS.add}
    </LinkButton>
  );
  return (
    <Page title={WORDS.title} lead={WORDS.lead} actions={addButton}>
      <Loaded answer={routes} height={240}>
        {(data) => (
          <Stack gap="xl">
            {data.length === 0 ? (
              <Card>
                <EmptyState title={WORDS.emptyTitle} text={WORDS.emptyText} icon={IconRoute}>
                  {addButton}
                </EmptyState>
              </Card>
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
