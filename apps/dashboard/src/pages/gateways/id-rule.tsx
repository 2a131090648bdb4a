import { Card, Group, Text, Title } from '@mantine/core';
import { type Gateway, revokeIdRule } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useMay } from '../../app/use-session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Time } from '../../parts/time.tsx';
import { counted } from '../../parts/counted.ts';
import { WORDS } from './words.ts';

/** The rule by which a gateway spells the ids of its reports, and a button that revokes it. */
export function IdRule({ gateway: { name, idRule } }: { gateway: Gateway }): ReactNode {
  const revoke = useAct(() => revokeIdRule({ path: { name } }), {
    changes: ['gateways'],
    done: WORDS.revoked,
  });
  const mayWrite = useMay('ops');
  return (
    <Card>
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2} mb={4}>
            {WORDS.idRule}
          </Title>
          <Text size="sm">{idRule === null ? WORDS.noRule : idRule.description}</Text>
          {idRule !== null && (
            <Text size="sm" c="dimmed">
              {`${counted(idRule.hits, 'report')} agreed. Learned `}
              <Time at={idRule.learnedAt} />
            </Text>
          )}
        </div>
        {idRule !== null && mayWrite && (
          <ConfirmButton
            question={WORDS.revokeQuestion}
            consequence={WORDS.revokeText}
            onConfirm={() => revoke.mutateAsync()}
          >
            {WORDS.revoke}
          </ConfirmButton>
        )}
      </Group>
    </Card>
  );
}
