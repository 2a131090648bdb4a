import { Button, Code, Text } from '@mantine/core';
import { IconAlertTriangle, IconCloudOff, IconLock, IconZoomQuestion } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ApiFailure } from '../api/failure.ts';
import { EmptyState } from './empty-state.tsx';

interface ErrorStateProps {
  failure: unknown;
  onRetry?: () => void;
}

/** The state of a place whose content could not be read: the message of the api, its code and the request id. */
export function ErrorState({ failure, onRetry }: ErrorStateProps): ReactNode {
  const { title, icon, text } = describe(failure);
  return (
    <EmptyState title={title} icon={icon} text={text}>
      {onRetry && !(failure instanceof ApiFailure && failure.isLasting) && (
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </EmptyState>
  );
}

function describe(failure: unknown) {
  if (!(failure instanceof ApiFailure))
    return {
      title: 'This page has failed',
      icon: IconAlertTriangle,
      text: 'Reload it. If it fails again, tell your operator what you did.',
    };
  if (failure.code === 'scope_missing')
    return { title: 'You may not see this', icon: IconLock, text: failure.message };
  const text = failure.isOffline ? (
    'Check your connection. The page tries again by itself.'
  ) : (
    <FailureText failure={failure} />
  );
  if (failure.isOffline) return { title: failure.message, icon: IconCloudOff, text };
  if (failure.isForbidden) return { title: 'You may not see this', icon: IconLock, text };
  if (failure.isNotFound) return { title: 'This does not exist', icon: IconZoomQuestion, text };
  return { title: 'This could not be read', icon: IconAlertTriangle, text };
}

/** Message, code and request id of a failure; without an answer there are none, but something to do. */
export function FailureText({ failure }: { failure: ApiFailure }): ReactNode {
  return (
    <>
      <Text c="inherit">{failure.message}</Text>
      <Text size="xs" mt={4} c="inherit">
        {failure.isOffline ? (
          'Check your connection, and try again.'
        ) : (
          <>
            <Code>{failure.code}</Code>
            {failure.requestId !== undefined && ` request ${failure.requestId}`}
          </>
        )}
      </Text>
    </>
  );
}
