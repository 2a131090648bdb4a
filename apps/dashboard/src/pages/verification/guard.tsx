import { Paper, Skeleton, Table, Text, Title } from '@mantine/core';
import { getVerifyGuard } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { Status } from '../../parts/status.tsx';
import { percent } from './conversion.tsx';
import { WORDS } from './words.ts';

/** The traffic that the fraud guard judges, worst conversion first. */
export function Guard(): ReactNode {
  const guard = useAnswer(['verification', 'guard'], (signal) => getVerifyGuard({ signal }), {
    refetchInterval: 30_000,
  });
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {WORDS.guard}
      </Title>
      {guard.isPending && <Skeleton height={80} />}
      {guard.error && !guard.data && (
        <ErrorState failure={guard.error} onRetry={() => void guard.refetch()} />
      )}
      {guard.data?.length === 0 && <Text c="dimmed">{WORDS.guardEmpty}</Text>}
      {guard.data && guard.data.length > 0 && (
        <Table.ScrollContainer minWidth={560}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                {[
                  'Traffic',
                  'Judgement',
                  'Codes',
                  WORDS.verified,
                  WORDS.conversion,
                  'Flagged',
                  'Blocked',
                ].map((label) => (
                  <Table.Th key={label}>{label}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {guard.data.map((row) => (
                <Table.Tr key={`${row.dimension} ${row.value}`}>
                  <Table.Td>{`${row.dimension} ${row.value}`}</Table.Td>
                  <Table.Td>
                    <Status
                      status={row.suspect ? 'Suspect' : 'Normal'}
                      color={row.suspect ? 'red' : 'teal'}
                    />
                    {row.reason && <Text size="xs">{row.reason}</Text>}
                  </Table.Td>
                  <Table.Td>{row.ended.toLocaleString()}</Table.Td>
                  <Table.Td>{row.verified.toLocaleString()}</Table.Td>
                  <Table.Td>{percent(row.conversion)}</Table.Td>
                  <Table.Td>{row.flagged.toLocaleString()}</Table.Td>
                  <Table.Td>{row.blocked.toLocaleString()}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Paper>
  );
}
