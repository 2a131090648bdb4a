import { Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ApiFailure } from '../../api/failure.ts';
import { FailureAlert } from '../../parts/failure-alert.tsx';
import { Loaded, type LoadedProps } from '../../parts/loaded.tsx';

interface FromTemplateProps<Template> extends Pick<LoadedProps<Template>, 'answer'> {
  children: (template: Template | undefined) => ReactNode;
}

/** Shows a form with the template of its address, or without it below the failure where there is no such template. */
export function FromTemplate<Template>({ answer, children }: FromTemplateProps<Template>): ReactNode {
  const { data, error } = answer;
  // kept, since a later read takes the failure away, and the form with what was typed would go too
  const [failure, setFailure] = useState<ApiFailure>();
  if (!failure && data === undefined && error?.isLasting) setFailure(error);
  if (failure)
    return (
      <Stack>
        <FailureAlert failure={failure} />
        {children(undefined)}
      </Stack>
    );
  return (
    <Loaded answer={answer} height={320}>
      {children}
    </Loaded>
  );
}
