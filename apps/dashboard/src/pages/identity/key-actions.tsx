import { Group } from '@mantine/core';
import { type ApiKey, revokeApiKey, rotateApiKey } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';

interface KeyActionsProps {
  apiKey: ApiKey;
  /** Called with the key that replaces it. */
  onKey: (key: string) => void;
}

/** Rotates or revokes a key that is in force. */
export function KeyActions({ apiKey, onKey }: KeyActionsProps): ReactNode {
  const { status } = apiKey;
  if (status === 'revoked' || status === 'expired') return null;
  return (
    <Group gap={6} wrap="nowrap">
      {status === 'active' && <Rotate apiKey={apiKey} onKey={onKey} />}
      <Revoke apiKey={apiKey} />
    </Group>
  );
}

function Rotate({ apiKey: { id, name }, onKey }: KeyActionsProps): ReactNode {
  const rotate = useAct(
    (_: void, headers) => rotateApiKey({ path: { id }, body: { overlapHours: 24 }, headers }),
    { changes: ['api-keys'] },
  );
  return (
    <ConfirmButton
      size="compact-sm"
      color="signal"
      question={`Rotate the key "${name}"?`}
      consequence="You get a new key with the same scopes. The old one works for 24 hours more."
      onConfirm={async () => onKey((await rotate.mutateAsync()).data.key)}
    >
      Rotate
    </ConfirmButton>
  );
}

function Revoke({ apiKey: { id, name } }: { apiKey: ApiKey }): ReactNode {
  const revoke = useAct(() => revokeApiKey({ path: { id } }), {
    changes: ['api-keys'],
    done: 'The key was revoked.',
  });
  return (
    <ConfirmButton
      size="compact-sm"
      question={`Revoke the key "${name}"?`}
      consequence="Programs that use it are refused within a second. This cannot be undone."
      onConfirm={() => revoke.mutateAsync()}
    >
      Revoke
    </ConfirmButton>
  );
}
