import { listGateways, listStates } from '@signalbox/database/gateways/gateways';
import { wholeState } from '@signalbox/messaging/gateways/whole-state';
import { Sealer, type SecretKeys } from '@signalbox/runtime/seal';
import { takesOf } from '@signalbox/domain/routing/gateway-health';
import type { DataSource } from 'typeorm';
import { type Finding, counted, findingsOf } from './finding.ts';

/** Rows of each table that are looked at. */
const SAMPLE = 1_000;

/** Milliseconds after which a gateway that still connects is a problem. */
const CONNECTING_MS = 15_000;

/** Sealed columns of tables that hold configuration. */
const SEALED = [
  { what: 'webhook', sql: `SELECT sealed_secret AS sealed FROM webhook WHERE deleted_at IS NULL LIMIT $1` },
  {
    what: 'gateway',
    sql: `SELECT sealed_secrets AS sealed FROM gateway WHERE sealed_secrets IS NOT NULL LIMIT $1`,
  },
];

/**
 * The state of a gateway. It is untried while only its first message can show whether it answers, and fails when its
 * last attempt to bind did.
 */
type NamedState = { name: string; isUntried: boolean; isFailing: boolean } & ReturnType<typeof wholeState>;

const OTHER_KEY =
  'SECRETS_KEY is not the key of this database: no app starts with it. Set the key that the apps had, which is kept apart from the backups.';

/** Checks that the secrets that are stored can be opened with the keys of the environment. */
export async function checkSecrets(db: DataSource, keys: SecretKeys): Promise<Finding[]> {
  const sealer = new Sealer(...keys);
  const known: { id: Buffer }[] = await db.query('SELECT id FROM secrets_key');
  if (known.length > 0 && !known.some(({ id }) => sealer.keyIds.some((mine) => mine.equals(id))))
    return [{ part: 'secrets', level: 'problem', text: OTHER_KEY }];
  const closed = await Promise.all(
    SEALED.map(async ({ what, sql }) => {
      const rows: { sealed: Buffer }[] = await db.query(sql, [SAMPLE]);
      return { what, count: rows.filter(({ sealed }) => !sealer.canOpen(sealed)).length };
    }),
  );
  return findingsOf(
    'secrets',
    'SECRETS_KEY and SECRETS_KEYS_OLD open what is stored.',
    closed.map(problemOf),
  );
}

function problemOf({ what, count }: { what: string; count: number }): Omit<Finding, 'part'> | false {
  if (count === 0) return false;
  const text = `The secrets of ${counted(count, what)} were sealed with another key. Set SECRETS_KEY to it, or after a change of the key name it in SECRETS_KEYS_OLD.`;
  return { level: 'problem', text };
}

/** Checks that the workers reach the gateways, as they themselves last reported. */
export async function checkGateways(db: DataSource): Promise<Finding[]> {
  const [rows, views] = await Promise.all([listGateways(db.manager), listStates(db.manager)]);
  if (rows.length === 0)
    return [
      { part: 'gateways', level: 'warning', text: 'No gateway is configured: messages go to the simulator.' },
    ];
  const states = rows.map((row) => {
    const own = views.filter(({ gatewayId }) => gatewayId === row.id);
    const isUntried = own.every((view) => view.status === 'connecting' && takesOf(view) === 'any');
    const isFailing = own.some(({ detail }) => detail['failing'] === true);
    return { name: row.name, isUntried, isFailing, ...wholeState(row, own) };
  });
  return findingsOf(
    'gateways',
    `${counted(rows.length, 'gateway')}, none in trouble.`,
    states.map(judgeState),
  );
}

function judgeState(state: NamedState): Omit<Finding, 'part'> | false {
  const { name, status, isUntried, isFailing, reason, since } = state;
  if (status === 'connecting' && isUntried) return { level: 'warning', text: `${name}: ${reason}` };
  if (status === 'connecting' && isFailing)
    return { level: 'problem', text: `${name} cannot connect: ${reason}` };
  if (status === 'connecting') return judgeConnecting(name, reason, since);
  if (!['down', 'closed', 'unknown'].includes(status)) return false;
  return { level: 'problem', text: `${name} is ${status}: ${reason}` };
}

function judgeConnecting(name: string, reason: string, since: string | null): Omit<Finding, 'part'> {
  const ms = since === null ? 0 : Date.now() - Date.parse(since);
  const text = `${name} has been connecting for ${counted(Math.round(ms / 1_000), 'second')}: ${reason}`;
  if (ms > CONNECTING_MS) return { level: 'problem', text };
  return { level: 'warning', text: `${text} Run doctor again in ${CONNECTING_MS / 1_000} seconds.` };
}
