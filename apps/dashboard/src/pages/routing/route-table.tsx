import { ActionIcon, Card, Group, Table, Text } from '@mantine/core';
import { type Route, listGateways, orderRoutes } from '@signalbox/client';
import { IconArrowDown, IconArrowUp, IconGripVertical } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useMay } from '../../app/use-session.ts';
import { LabelledCell } from '../../parts/folded-rows.tsx';
import classes from '../../parts/folded-rows.module.css';
import { TextLink } from '../../parts/links.tsx';
import { Status } from '../../parts/status.tsx';
import { hiddenRoutes } from './hidden-routes.ts';
import { gatewaysText, matchText } from './match-text.ts';
import { WORDS } from './words.ts';

const HEADINGS = [WORDS.order, WORDS.name, WORDS.takes, WORDS.gateways, WORDS.enabled];

/**
 * The routes as rows to drag, or to move up and down; each move is saved at the release. In a narrow
 * window, the texts of a row are below its first line, each with its label.
 */
export function RouteTable({ routes }: { routes: readonly Route[] }): ReactNode {
  const gateways = useAnswer(['gateways', 'list', 'names'], (signal) => listGateways({ signal }));
  const hidden = hiddenRoutes(routes, gateways.data ?? []);
  const mayWrite = useMay('ops');
  const [dragged, setDragged] = useState<number>();
  const order = useAct((names: string[]) => orderRoutes({ body: { names } }), {
    changes: ['routes'],
    done: WORDS.ordered,
  });
  const move = (from: number, to: number) => {
    if (from === to || to < 0 || to >= routes.length) return;
    const names = routes.map(({ name }) => name);
    order.mutate(names.toSpliced(from, 1).toSpliced(to, 0, names[from]!));
  };
  const drop = (to: number) => {
    if (dragged !== undefined) move(dragged, to);
    setDragged(undefined);
  };
  return (
    <Card padding={0} className={classes['frame']!}>
      <Table verticalSpacing="sm" horizontalSpacing="md" className={classes['table']!}>
        <Table.Thead>
          <Table.Tr>
            {HEADINGS.map((heading) => (
              <Table.Th key={heading}>{heading}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {routes.map((route, i) => (
            <Table.Tr
              key={route.id}
              draggable={mayWrite}
              onDragStart={() => setDragged(i)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={() => drop(i)}
            >
              <RouteCells
                route={route}
                hiddenBy={hidden.get(route.id)}
                place={i}
                count={routes.length}
                onMove={mayWrite ? (by) => move(i, i + by) : undefined}
              />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

interface RouteCellsProps {
  route: Route;
  /** The route above that takes every message. */
  hiddenBy: string | undefined;
  /** From 0. */
  place: number;
  count: number;
  /** Undefined for those who may not change the order. */
  onMove: ((by: -1 | 1) => void) | undefined;
}

function RouteCells({ route, hiddenBy, place, count, onMove }: RouteCellsProps): ReactNode {
  return (
    <>
      <Table.Td>
        {onMove && (
          <MoveButtons name={route.name} isFirst={place === 0} isLast={place === count - 1} onMove={onMove} />
        )}
      </Table.Td>
      <Table.Td className={classes['name']!}>
        <TextLink fw={600} to="/routes/$routeId" params={{ routeId: route.id }}>
          {route.name}
        </TextLink>
      </Table.Td>
      <LabelledCell label={WORDS.takes} isText>
        {matchText(route)}
        {hiddenBy !== undefined && (
          <Text size="sm" c="var(--mantine-color-yellow-light-color)">
            {WORDS.hidden(hiddenBy)}
          </Text>
        )}
      </LabelledCell>
      <LabelledCell label={WORDS.gateways} isText>
        {gatewaysText(route)}
      </LabelledCell>
      <Table.Td>
        <Status status={route.enabled ? 'enabled' : 'disabled'} />
      </Table.Td>
    </>
  );
}

interface MoveButtonsProps {
  name: string;
  isFirst: boolean;
  isLast: boolean;
  onMove: (by: -1 | 1) => void;
}

function MoveButtons({ name, isFirst, isLast, onMove }: MoveButtonsProps): ReactNode {
  return (
    <Group gap={2} wrap="nowrap">
      <IconGripVertical size={16} aria-hidden style={{ cursor: 'grab' }} />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`${WORDS.up}: ${name}`}
        disabled={isFirst}
        onClick={() => onMove(-1)}
      >
        <IconArrowUp size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`${WORDS.down}: ${name}`}
        disabled={isLast}
        onClick={() => onMove(1)}
      >
        <IconArrowDown size={16} />
      </ActionIcon>
    </Group>
  );
}
