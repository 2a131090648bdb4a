import { type System, getSystem } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { counted } from '../../parts/counted.ts';
import { type Fact, KeyValueRows } from '../../parts/key-value-rows.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { sizeOf } from '../../parts/size.ts';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import classes from './system.module.css';
import { WORDS } from './words.ts';

/** Tables that the page names. */
const LARGEST = 12;

/** Versions, servers, migrations, tables and settings. */
export function SystemPage(): ReactNode {
  const system = useAnswer(['system'], (signal) => getSystem({ signal }), { live: ['worker'] });
  return (
    <Page title={WORDS.system} lead={WORDS.systemLead}>
      <Loaded answer={system} height={240}>
        {(data) => <Facts system={data} />}
      </Loaded>
    </Page>
  );
}

function Facts({ system }: { system: System }): ReactNode {
  const { migrations, workers, tables, settings } = system;
  return (
    <div className={classes['cards']}>
      <Section title="Servers">
        <KeyValueRows facts={serverFacts(system)} />
      </Section>
      <Section title="Workers">
        <KeyValueRows
          facts={workers.map(({ fleet, workers: count }) => [fleet, workerCount(fleet, count)])}
        />
      </Section>
      <Section title="Migrations">
        <KeyValueRows
          facts={[
            ['Applied', migrations.applied],
            ['Last', migrations.last],
            ['Pending', migrations.pending.length === 0 ? 'none' : migrations.pending.join(', ')],
          ]}
        />
      </Section>
      <Section title="Largest tables">
        <KeyValueRows
          facts={tables
            .slice(0, LARGEST)
            .map(({ name, bytes, partitions }) => [
              name,
              `${sizeOf(bytes)}${partitions > 0 ? `, ${counted(partitions, 'partition')}` : ''}`,
            ])}
        />
      </Section>
      <Section title="Settings of this api">
        <KeyValueRows facts={settings.map(({ name, value }) => [name, value ?? 'set, not shown'])} />
      </Section>
    </div>
  );
}

function workerCount(fleet: string, count: number): ReactNode {
  return count === 0 ? <Status key={fleet} status="down" label="None runs" /> : `${count} live`;
}

function serverFacts({ version, node, startedAt, postgres, queues }: System): Fact[] {
  return [
    ['Signalbox', version],
    ['Node', node],
    ['Started', <Time key="started" at={startedAt} />],
    ['Postgres', `${postgres.version}${postgres.isReadOnly ? ', read-only' : ''}`],
    ['Database', sizeOf(postgres.sizeBytes)],
    ['Connections', `${postgres.connections} of ${postgres.maxConnections}`],
    ['Queues', queues.kind === 'redis' ? `Redis ${queues.version ?? ''}` : 'Postgres'],
    [
      'Queue server',
      queues.isReachable ? 'Reachable' : <Status key="queues" status="down" label="Unreachable" />,
    ],
    ['Redis memory', queues.usedBytes === null ? null : sizeOf(queues.usedBytes)],
  ];
}
