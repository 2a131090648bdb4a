import { openDataSource } from '@signalbox/database/core/data-source';
import { inTransaction } from '@signalbox/database/core/in-transaction';
import { isPostgres } from '@signalbox/queues/queue-connection';
import { AppConfig } from '@signalbox/runtime/app-config';
import { loadConfig } from '@signalbox/runtime/load-config';
import { type Command, ProblemReport, UsageError, VERSION, findSetting } from './command.ts';
import { checkBucket, checkDatabaseDisk, checkMedia } from './doctor/check-disk.ts';
import { checkPostgres, findDataFolder } from './doctor/check-postgres.ts';
import { checkPublic } from './doctor/check-public.ts';
import { checkRedis } from './doctor/check-redis.ts';
import { checkGateways, checkSecrets } from './doctor/check-rows.ts';
import { checkWorkers } from './doctor/check-workers.ts';
import { type Finding, counted, unreachable } from './doctor/finding.ts';

export const doctor: Command = {
  forms: [''],
  details: 'Prints the version first. Changes nothing. Ends with exit code 1 when it finds a problem.',
  async run(args) {
    if (args.length > 0) throw new UsageError('doctor takes no arguments.');
    const findings = await examine();
    const report = render(findings);
    if (findings.some(({ level }) => level === 'problem')) throw new ProblemReport(report);
    return report;
  },
};

async function examine(): Promise<Finding[]> {
  const config = readConfig();
  if (config instanceof Error) return [unusable(config)];
  const parts = await Promise.all([
    examineDatabase(config),
    isPostgres(config.QUEUE_URL)
      ? checkPostgresQueue(config)
      : checkRedis(config.QUEUE_URL).catch((error: unknown) => [unreachable('redis', 'QUEUE_URL', error)]),
    examineMedia(),
  ]);
  return [
    { part: 'settings', level: 'ok', text: 'The settings that all apps share are well-formed.' },
    ...checkPublic(process.env),
    ...parts.flat(),
  ];
}

function unusable({ message }: Error): Finding {
  const text = findSetting('DATABASE_URL') ? message : `${message}\n${LOCAL_HINT}`;
  return { part: 'settings', level: 'problem', text };
}

/** Connects to a queue on Postgres. One in the database of DATABASE_URL is examined with it. */
async function checkPostgresQueue({ DATABASE_URL, QUEUE_URL }: AppConfig): Promise<Finding[]> {
  if (QUEUE_URL === DATABASE_URL) return [];
  try {
    await inTransaction(QUEUE_URL, 'signalbox-cli', () => Promise.resolve());
    return [{ part: 'queue', level: 'ok', text: 'The Postgres of QUEUE_URL can be used.' }];
  } catch (error) {
    return [unreachable('queue', 'QUEUE_URL', error)];
  }
}

async function examineMedia(): Promise<Finding[]> {
  const s3Url = findSetting('MEDIA_S3_URL');
  if (s3Url) return checkBucket(s3Url);
  const folder = findSetting('MEDIA_DIR');
  return folder ? checkMedia(folder) : [];
}

/** Hint where neither the environment nor an `npm start` in this folder names a database. */
const LOCAL_HINT =
  'To examine an `npm start` with --data <folder>, first run `set -a; . <folder>/stack.env; set +a`.';

/** The settings that all apps share, without their ports. */
const SHARED_SETTINGS = [
  'DATABASE_URL',
  'QUEUE_URL',
  'QUEUE_PREFIX',
  'SECRETS_KEY',
  'SECRETS_KEYS_OLD',
  'DATABASE_POOL_SIZE',
];

function readConfig(): AppConfig | Error {
  const settings = SHARED_SETTINGS.map((name) => [name, findSetting(name)]);
  const given = Object.fromEntries(settings.filter(([, value]) => value));
  try {
    return loadConfig(AppConfig, { ...given, PORT: '0' });
  } catch (error) {
    return error as Error;
  }
}

async function examineDatabase({ DATABASE_URL: url, secretKeys }: AppConfig): Promise<Finding[]> {
  try {
    const db = await openDataSource({
      url,
      applicationName: 'signalbox-cli',
      poolSize: 2,
      commit: 'durable',
    });
    try {
      const disk = await checkDatabaseDisk(await findDataFolder(db));
      const found = [...(await checkPostgres(db)), ...disk];
      if (!found.some(({ part, level }) => part === 'schema' && level === 'ok')) return found;
      return [
        ...found,
        ...(await checkSecrets(db, secretKeys)),
        ...(await checkWorkers(db)),
        ...(await checkGateways(db)),
      ];
    } finally {
      await db.destroy();
    }
  } catch (error) {
    return [unreachable('postgres', 'DATABASE_URL', error)];
  }
}

function render(findings: Finding[]): string {
  const lines = findings.map(({ level, part, text }) => `${level.padEnd(8)} ${part.padEnd(9)} ${text}`);
  const count = (wanted: Finding['level']): number => findings.filter(({ level }) => level === wanted).length;
  return [
    `Signalbox ${VERSION}`,
    '',
    ...lines,
    '',
    `${counted(count('problem'), 'problem')}, ${counted(count('warning'), 'warning')}.`,
  ].join('\n');
}
