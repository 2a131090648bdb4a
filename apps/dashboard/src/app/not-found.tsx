import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EmptyState } from '../parts/empty-state.tsx';

/** The state of an address that no page has. */
export function NotFound(): ReactNode {
  return (
    <EmptyState title="No such page" text="The address may be mistyped, or the page has moved.">
      <Button component={Link} to="/" variant="default">
        Go to Overview
      </Button>
    </EmptyState>
  );
}
