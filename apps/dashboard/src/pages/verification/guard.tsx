import { Table, Text } from '@mantine/core';
import { type GuardedTraffic, getVerifyGuard } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { capitalized } from '../../parts/capitalized.ts';
import classes from '../../parts/folded-rows.module.css';
import { LabelledCell } from '../../parts/folded-rows.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { percent } from '../../parts/percent.ts';
import { Section } from '../../parts/section.tsx';
import { Status } from '../../parts/status.tsx';
import { WORDS } from './words.ts';

const FIGURES = ['Codes', WORDS.verified, WORDS.conversion, 'Flagged', 'Blocked'];
const COLUMNS = ['Traffic', 'Judgement', ...FIGURES];

/** The traffic that the fraud guard judges, worst conversion first. */
export function Guard(): ReactNode {
  const guard = useAnswer(['verification', 'guard'], (signal) => getVerifyGuard({ signal }), {
    refetchInterval: 30_000,
  });
  return (
    <Section title={WORDS.guard}>
      <Loaded answer={guard} height={80}>
        {(rows) => (rows.length === 0 ? <Text c="dimmed">{WORDS.guardEmpty}</Text> : <Judged rows={rows} />)}
      </Loaded>
    </Section>
  );
}

function Judged({ rows }: { rows: readonly GuardedTraffic[] }): ReactNode {
  return (
    <div className={classes['frame']}>
      <Table className={classes['table']!}>
        <Table.Thead>
          <Table.Tr>
            {COLUMNS.map((label) => (
              <Table.Th key={label}>{label}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Row key={`${row.dimension} ${row.value}`} row={row} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Row({ row }: { row: GuardedTraffic }): ReactNode {
  const { dimension, value, suspect, reason, ended, verified, conversion, flagged, blocked } = row;
  const figures = [ended, verified, percent(conversion), flagged, blocked].map((each) =>
    each.toLocaleString(),
  );
  return (
    <Table.Tr>
      <Table.Td className={classes['name']!}>{`${capitalized(dimension)} ${value}`}</Table.Td>
      <Table.Td>
        <Status status={suspect ? 'Suspect' : 'Normal'} color={suspect ? 'red' : 'teal'} />
        {reason && <Text size="xs">{reason}</Text>}
      </Table.Td>
      {figures.map((figure, i) => (
        <LabelledCell key={FIGURES[i]} label={FIGURES[i]!}>
          {figure}
        </LabelledCell>
      ))}
    </Table.Tr>
  );
}
