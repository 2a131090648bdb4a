import { Box, Grid, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Unsaved } from '../../parts/unsaved.tsx';
import type { Refusal } from './use-refusal.ts';

interface ComposerColumnsProps {
  isChanged: boolean;
  refusal: Refusal;
  summary: ReactNode;
  children: ReactNode;
}

/** The fields of a message, and next to them its summary, which stays in view. */
export function ComposerColumns({ isChanged, refusal, summary, children }: ComposerColumnsProps): ReactNode {
  return (
    <Grid gap="lg">
      <Unsaved isChanged={isChanged} />
      <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
        <Stack ref={refusal.place}>{children}</Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
        <Box pos="sticky" top={76}>
          {summary}
        </Box>
      </Grid.Col>
    </Grid>
  );
}
