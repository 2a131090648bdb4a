import { Button } from '@mantine/core';
import { IconZoomQuestion } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';

/** The state of an address that no page has. */
export function NotFound(): ReactNode {
  return (
    <Page title="No such page">
      <EmptyState
        title="Nothing is at this address"
        text="The address may be mistyped, or the page has moved."
        icon={IconZoomQuestion}
      >
        <Button component={Link} to="/" variant="default">
          Go to Overview
        </Button>
      </EmptyState>
    </Page>
  );
}
