import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { type AnyRouter, RouterProvider } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { queries } from '../api/queries.ts';
import { THEME, resolveVariables } from './theme.ts';

/** The whole dashboard. */
export function Root({ router }: { router: AnyRouter }): ReactNode {
  return (
    <QueryClientProvider client={queries}>
      <MantineProvider theme={THEME} cssVariablesResolver={resolveVariables} defaultColorScheme="auto">
        <Notifications position="bottom-left" limit={4} />
        <RouterProvider router={router} />
      </MantineProvider>
    </QueryClientProvider>
  );
}
